/**
 * The key of an address: an IPv4 address itself, an IPv6 address by the network assigned to its
 * owner.
 *
 * All spellings of one address give one key, and networks of different lengths never share one. An
 * IPv4 address has the same key however it arrives: mapped into IPv6, or through a NAT64
 * translator, whose clients would otherwise share one network.
 */

import { invalidOption, shown } from "../../base/options.ts";
import {
  bareAddress,
  formatIpv6,
  type Groups,
  isIpv4,
  isMapped,
  lastIpv4,
  networkOf,
  parseAddress,
  parseIpv6,
  sharePrefix,
} from "./address.ts";

/** How much of an IPv6 address makes a key: a number of bits, or false for all of it. */
export type Ipv6Subnet = number | false;

const TRANSLATED_BITS = 96;
/** The prefix that every translator may use. */
const WELL_KNOWN_PREFIX: Groups = [0x64, 0xff9b, 0, 0, 0, 0, 0, 0];

export class AddressKeys {
  readonly #prefixes: readonly Groups[];

  /** @param prefixes further networks of 96 bits whose last 32 bits are IPv4 addresses */
  constructor(prefixes: readonly Groups[] = []) {
    this.#prefixes = [WELL_KNOWN_PREFIX, ...prefixes];
  }

  /** The key of an address, or null for what is none. */
  of(text: string, subnet: Ipv6Subnet): string | null {
    if (isIpv4(text)) return text;
    if (text.startsWith("::ffff:")) {
      const mapped = text.slice(7);
      if (isIpv4(mapped)) return mapped;
    }
    const groups = parseIpv6(text) ?? parseAddress(bareAddress(text));
    if (groups === null) return null;
    if (isMapped(groups) || this.#isTranslated(groups)) return lastIpv4(groups);
    if (subnet === false) return formatIpv6(groups);
    return `${formatIpv6(networkOf(groups, subnet))}/${subnet}`;
  }

  #isTranslated(groups: Groups): boolean {
    for (const prefix of this.#prefixes) {
      if (sharePrefix(groups, prefix, TRANSLATED_BITS)) return true;
    }
    return false;
  }
}

const USUAL_KEYS = new AddressKeys();

/**
 * An address as a key: IPv4 as it is, IPv6 by its network. In a cluster that is one of 56 bits.
 *
 * @example
 * rateLimit({ key: (request) => request.userId ?? ipKeyGenerator(request.ip) });
 */
export function ipKeyGenerator(ip: string | undefined, ipv6Subnet: Ipv6Subnet = 64): string {
  const text = ip ?? "";
  return addressKey(text, ipv6Subnet === 0 ? false : ipv6Subnet) ?? text;
}

/** The key of an address under the default options; null if the text is no address. */
export function addressKey(text: string, subnet: Ipv6Subnet): string | null {
  return USUAL_KEYS.of(text, subnet);
}

/** Checks an option for the number of bits of an IPv6 address that make a key. */
export function checkSubnet(option: string, value: unknown, least = 32, most = 64): Ipv6Subnet {
  if (value === false) return false;
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) {
    return value as number;
  }
  throw invalidOption(option, `a whole number from ${least} to ${most}, or false`, value);
}

/** Checks an option with networks of translators, such as `2001:db8:64::/96`. */
export function translationPrefixes(option: string, value: unknown): readonly Groups[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw invalidOption(option, "an array of IPv6 networks", value);
  return value.map((entry: unknown, index) => {
    const [address = "", bits] = typeof entry === "string" ? entry.split("/") : [];
    const groups = isIpv4(address) ? null : parseAddress(address);
    if (groups !== null && bits === String(TRANSLATED_BITS)) return groups;
    const place = `${option}[${index}]`;
    throw invalidOption(
      place,
      `an IPv6 network of 96 bits, such as ${shown("2001:db8::/96")}`,
      entry,
    );
  });
}
