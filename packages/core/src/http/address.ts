/**
 * Internet addresses as text from the outside: what is one, and how each is written only once.
 *
 * An address is eight groups of 16 bits; an IPv4 address is the last two of a mapped one. Whatever is
 * not exactly an address is null, so that no text a client made up ever passes for one. It is code of
 * our own because it runs on every request: the check of the usual IPv4 text allocates nothing.
 */

/** Eight groups of 16 bits. */
export type Groups = readonly number[];

const DOT = 46;
const COLON = 58;
const ZERO = 48;
const GROUPS = 8;

/** Whether `text` is an IPv4 address in the one way to write it: four numbers without leading zeros. */
export function isIpv4(text: string): boolean {
  const { length } = text;
  if (length < 7 || length > 15) return false;
  let parts = 1;
  let digits = 0;
  let value = 0;
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index);
    if (code === DOT) {
      if (digits === 0) return false;
      parts++;
      digits = 0;
      value = 0;
    } else {
      const digit = code - ZERO;
      if (digit < 0 || digit > 9 || (digits > 0 && value === 0)) return false;
      value = 10 * value + digit;
      digits++;
      if (value > 255) return false;
    }
  }
  return parts === 4 && digits > 0;
}

/** The groups of an address, or null for anything else. A zone is not part of an address. */
export function parseAddress(text: string): Groups | null {
  if (isIpv4(text)) return [0, 0, 0, 0, 0, 0xffff, ...ipv4Groups(text)];
  return parseIpv6(text);
}

/**
 * The address in what a proxy or a socket may have written around it: a port, brackets, a zone.
 * Returns text that may or may not be an address.
 */
export function bareAddress(text: string): string {
  let bare = text;
  if (bare.charCodeAt(0) === 91) {
    const end = bare.indexOf("]");
    if (end < 0 || !/^(:\d{1,5})?$/.test(bare.slice(end + 1))) return text;
    bare = bare.slice(1, end);
  } else {
    const colon = bare.indexOf(":");
    if (colon > 0 && bare.indexOf(":", colon + 1) < 0 && /^\d{1,5}$/.test(bare.slice(colon + 1))) {
      bare = bare.slice(0, colon);
    }
  }
  const zone = bare.indexOf("%");
  return zone > 0 && bare.includes(":") ? bare.slice(0, zone) : bare;
}

/** Whether the groups are an IPv4 address in the mapped form. */
export function isMapped(groups: Groups): boolean {
  return groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
}

/** The IPv4 address in the last two groups. */
export function lastIpv4(groups: Groups): string {
  const [high, low] = [groups[6]!, groups[7]!];
  return `${high >>> 8}.${high & 255}.${low >>> 8}.${low & 255}`;
}

/** The first `bits` of an address, the others zero. */
export function networkOf(groups: Groups, bits: number): Groups {
  return groups.map((group, index) => group & maskOf(bits - 16 * index));
}

/** Whether two addresses have their first `bits` in common. */
export function sharePrefix(one: Groups, other: Groups, bits: number): boolean {
  for (let index = 0; 16 * index < bits; index++) {
    if (((one[index]! ^ other[index]!) & maskOf(bits - 16 * index)) !== 0) return false;
  }
  return true;
}

/** The one way to write an IPv6 address: RFC 5952, without a mixed form. */
export function formatIpv6(groups: Groups): string {
  let start = -1;
  let longest = 1;
  for (let index = 0; index < GROUPS; index++) {
    let end = index;
    while (end < GROUPS && groups[end] === 0) end++;
    if (end - index > longest) {
      start = index;
      longest = end - index;
    }
    if (end > index) index = end;
  }
  const hexadecimal = groups.map((group) => group.toString(16));
  if (start < 0) return hexadecimal.join(":");
  const before = hexadecimal.slice(0, start).join(":");
  return `${before}::${hexadecimal.slice(start + longest).join(":")}`;
}

function maskOf(bits: number): number {
  return bits >= 16 ? 0xffff : bits <= 0 ? 0 : (0xffff << (16 - bits)) & 0xffff;
}

function ipv4Groups(text: string): [number, number] {
  const [a, b, c, d] = text.split(".").map(Number) as [number, number, number, number];
  return [a * 256 + b, c * 256 + d];
}

function parseIpv6(text: string): Groups | null {
  if (text.length < 2 || text.length > 45) return null;
  const gap = text.indexOf("::");
  if (gap >= 0 && text.indexOf("::", gap + 1) >= 0) return null;
  const head = groupsOf(gap < 0 ? text : text.slice(0, gap), gap < 0);
  const tail = gap < 0 ? [] : groupsOf(text.slice(gap + 2), true);
  if (head === null || tail === null) return null;
  const missing = GROUPS - head.length - tail.length;
  if (gap < 0 ? missing !== 0 : missing < 1) return null;
  return [...head, ...new Array<number>(missing).fill(0), ...tail];
}

/** Groups between colons; only the last may be an IPv4 address, and only at the end of the text. */
function groupsOf(text: string, isEnd: boolean): number[] | null {
  if (text === "") return [];
  const groups: number[] = [];
  const parts = text.split(String.fromCharCode(COLON));
  if (parts.length > GROUPS) return null;
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index]!;
    if (isEnd && index === parts.length - 1 && isIpv4(part)) groups.push(...ipv4Groups(part));
    else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16));
    else return null;
  }
  return groups;
}
