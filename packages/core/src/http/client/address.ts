/**
 * Parses and formats internet addresses; each address has one canonical text.
 *
 * An address is eight groups of 16 bits; an IPv4 address is the last two groups of a mapped one. A
 * text that is not exactly an address gives null, so a text that a client invents never passes for
 * one. The parser is our own and makes a single pass, because it runs on every request: checking a
 * usual IPv4 text allocates nothing.
 */

/** Eight groups of 16 bits. */
export type Groups = readonly number[];

const DOT = 46;
const COLON = 58;
const ZERO = 48;
const LETTER_A = 97;
const GROUPS = 8;
const NONE: Groups = [0, 0, 0, 0, 0, 0, 0, 0];
/** Every byte in hexadecimal digits. */
const BYTES: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16));

/** Whether `text` is an IPv4 address in canonical form: four numbers without leading zeros. */
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
 * Removes what a proxy or a socket may write around an address: a port, brackets, a zone. The
 * result may still be no address.
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
  return groups[5] === 0xffff && sharePrefix(groups, NONE, 80);
}

/** The IPv4 address in the last two groups. */
export function lastIpv4(groups: Groups): string {
  const [high, low] = [groups[6]!, groups[7]!];
  return `${high >>> 8}.${high & 255}.${low >>> 8}.${low & 255}`;
}

/** The first `bits` of an address, the others zero. */
export function networkOf(groups: Groups, bits: number): Groups {
  const network = [0, 0, 0, 0, 0, 0, 0, 0];
  for (let index = 0; 16 * index < bits; index++) {
    network[index] = groups[index]! & maskOf(bits - 16 * index);
  }
  return network;
}

/** Whether two addresses have their first `bits` in common. */
export function sharePrefix(one: Groups, other: Groups, bits: number): boolean {
  for (let index = 0; 16 * index < bits; index++) {
    if (((one[index]! ^ other[index]!) & maskOf(bits - 16 * index)) !== 0) return false;
  }
  return true;
}

/** The canonical text of an IPv6 address: RFC 5952, without a mixed form. */
export function formatIpv6(groups: Groups): string {
  let start = GROUPS;
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
  let text = "";
  for (let index = 0; index < GROUPS; index++) {
    if (index === start) {
      text += "::";
      index += longest - 1;
    } else {
      if (index > 0 && index !== start + longest) text += ":";
      text += hexadecimal(groups[index]!);
    }
  }
  return text;
}

function maskOf(bits: number): number {
  return bits >= 16 ? 0xffff : bits <= 0 ? 0 : (0xffff << (16 - bits)) & 0xffff;
}

function ipv4Groups(text: string): [number, number] {
  const [a, b, c, d] = text.split(".").map(Number) as [number, number, number, number];
  return [a * 256 + b, c * 256 + d];
}

/** The groups of an IPv6 address, or null for anything else. */
export function parseIpv6(text: string): Groups | null {
  const { length } = text;
  if (length < 2 || length > 45) return null;
  const groups = [0, 0, 0, 0, 0, 0, 0, 0];
  let read = 0;
  /** How many groups stand before the gap; negative without a gap. */
  let gap = -1;
  let index = 0;
  if (text.charCodeAt(0) === COLON) {
    if (text.charCodeAt(1) !== COLON) return null;
    gap = 0;
    index = 2;
  }
  while (index < length) {
    const start = index;
    let value = 0;
    for (; index < length; index++) {
      const digit = hexadecimalDigit(text.charCodeAt(index));
      if (digit < 0) break;
      value = 16 * value + digit;
    }
    if (index === start || index - start > 4 || read === GROUPS) return null;
    if (text.charCodeAt(index) === DOT) {
      // Only a trailing IPv4 address contains a dot.
      const rest = text.slice(start);
      if (read > GROUPS - 2 || !isIpv4(rest)) return null;
      [groups[read], groups[read + 1]] = ipv4Groups(rest);
      read += 2;
      break;
    }
    groups[read++] = value;
    if (index === length) break;
    if (text.charCodeAt(index) !== COLON || ++index === length) return null;
    if (text.charCodeAt(index) !== COLON) continue;
    if (gap >= 0) return null;
    gap = read;
    index++;
  }
  if (gap < 0) return read === GROUPS ? groups : null;
  if (read === GROUPS) return null;
  // The groups read after the gap belong to the end.
  for (let to = GROUPS - 1, from = read - 1; to >= gap; to--, from--) {
    groups[to] = from >= gap ? groups[from]! : 0;
  }
  return groups;
}

/** The value of a digit, or -1. */
function hexadecimalDigit(code: number): number {
  if (code >= ZERO && code <= ZERO + 9) return code - ZERO;
  // In lower case.
  const letter = (code | 0x20) - LETTER_A;
  return letter >= 0 && letter < 6 ? 10 + letter : -1;
}

function hexadecimal(group: number): string {
  const low = BYTES[group & 255]!;
  if (group < 256) return low;
  return BYTES[group >>> 8]! + (low.length === 1 ? `0${low}` : low);
}
