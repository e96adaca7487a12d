/**
 * The address that a request is counted by, its key, and warnings about wrong proxy settings.
 *
 * Frameworks handle proxies; this file only verifies that their result is an address. No test of an
 * application finds a wrong proxy setting, so the first requests, and then a sample, are checked
 * for signs of one.
 *
 * An IPv4 address is its own key. An IPv6 address is counted by the network assigned to its owner.
 * All spellings of one address give one key, and networks of different lengths never share one. An
 * IPv4 address has the same key however it arrives: mapped into IPv6, or through a NAT64
 * translator, whose clients would otherwise share one network.
 */

import { invalidOption, shown } from "../../base/options.ts";
import type { Framework } from "../framework.ts";
import { Warnings } from "../warnings.ts";
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

export { AddressList } from "./address-list.ts";

/** How much of an IPv6 address makes a key: a number of bits, or false for all of it. */
export type Ipv6Subnet = number | false;

/** Options about the address of a request. */
export interface AddressOptions {
  /** Networks whose last 32 bits are IPv4 addresses. */
  readonly translationPrefixes?: readonly string[] | undefined;
  /** What to count by where the framework believes every sender about the client's address. */
  readonly onPermissiveProxy?: "warn" | "socket" | undefined;
}

const WATCHED_FIRST = 256;
const WATCHED_EVERY = 256;

/**
 * Prefixes of addresses where one client has a whole network, and the address of a local client.
 */
const ONE_OF_MANY = /^(?:[23][\da-f]{3}|f[c-f][\da-f]{2}):|^::1$/i;

const TRANSLATED_BITS = 96;
/** The prefix that every translator may use. */
const WELL_KNOWN_PREFIX: Groups = [0x64, 0xff9b, 0, 0, 0, 0, 0, 0];

/** The key of all requests whose connection, and with it their address, is gone. */
const GONE = "(gone)";

const SILENT = new Warnings(false);

export class ClientAddress<Request, Response> {
  readonly #framework: Framework<Request, Response>;
  readonly #warnings: Warnings;
  readonly #keys: AddressKeys;
  readonly #usesSocketIfPermissive: boolean;
  #isPermissive: boolean | null = null;
  #seen = 0;
  #hasBeenKey = false;

  constructor(
    framework: Framework<Request, Response>,
    warnings: Warnings,
    options: AddressOptions,
  ) {
    this.#framework = framework;
    this.#warnings = warnings;
    this.#keys = new AddressKeys(
      translationPrefixes("translationPrefixes", options.translationPrefixes),
    );
    this.#usesSocketIfPermissive = options.onPermissiveProxy === "socket";
  }

  /** The address as text, which need not be a valid address; undefined when there is none. */
  text(request: Request): string | undefined {
    const framework = this.#framework;
    if (this.#usesSocketIfPermissive) {
      this.#isPermissive ??= framework.proxyTrust?.(request) === "all";
      if (this.#isPermissive) return framework.socketAddress?.(request);
    }
    return framework.address(request);
  }

  /**
   * The key of a request's address; null, with a warning, when it never had one.
   *
   * A client that resets its connection removes its address before the request is read. Such
   * requests share one key. That harms no other client, because the client receives no response.
   */
  key(request: Request, subnet: Ipv6Subnet): string | null {
    const seen = this.#seen++;
    if (seen < WATCHED_FIRST || seen % WATCHED_EVERY === 0) this.#look(request);
    const key = this.#keyOf(request, subnet, this.text(request));
    if (key !== null) return key;
    if (this.isGone(request)) return GONE;
    this.#warnings.say("TIDEGATE_ADDRESS_MISSING");
    return null;
  }

  /**
   * Whether a request has no address because its connection is gone. Over a Unix socket it never
   * had any.
   */
  isGone(request: Request): boolean {
    const framework = this.#framework;
    if (framework.socketAddress?.(request) !== undefined) return false;
    const connection = framework.connection?.(request);
    // After a reset, a connection that is not read to its end only has its local side left.
    const isGone = connection?.destroyed === true || connection?.localAddress !== undefined;
    return isGone && this.counted(request) === undefined;
  }

  /**
   * Checks answers of a key function until one is an IPv6 address, alone or among several parts.
   */
  watchAnswer(answer: unknown): void {
    if (this.#hasBeenKey) return;
    if (Array.isArray(answer)) for (const part of answer) this.#watchPart(part);
    else this.#watchPart(answer);
  }

  /**
   * The addresses to compare with lists: the one that is counted in full length, and the
   * framework's own, because a list may name the network of a translator.
   */
  listed(request: Request): readonly (string | null | undefined)[] {
    const text = this.text(request);
    return [this.#keyOf(request, false, text), text];
  }

  /** The canonical text of the address that a request is counted by; undefined when it has none. */
  counted(request: Request): string | undefined {
    const texts = [this.text(request), this.#framework.socketAddress?.(request)];
    const text = texts.find((text) => text !== undefined && this.#keys.of(text, false) !== null);
    return text === undefined ? undefined : bareAddress(text);
  }

  #watchPart(part: unknown): void {
    if (typeof part !== "string" || !part.includes(":") || !ONE_OF_MANY.test(part)) return;
    const whole = this.#keys.of(part, false);
    // An address that counts as IPv4 is one client, and an address that ends in zeros is a
    // network's.
    if (whole?.includes(":") !== true || this.#keys.of(part, 64) === `${whole}/64`) return;
    this.#hasBeenKey = true;
    this.#warnings.say("TIDEGATE_KEY_IPV6");
  }

  #keyOf(request: Request, subnet: Ipv6Subnet, text: string | undefined): string | null {
    if (text !== undefined) {
      const key = this.#keys.of(text, subnet);
      if (key !== null) return key;
      this.#warnings.say("TIDEGATE_ADDRESS_INVALID");
    }
    const socket = this.#framework.socketAddress?.(request);
    return socket === undefined ? null : this.#keys.of(socket, subnet);
  }

  /** Looks for signs of a wrong setting. */
  #look(request: Request): void {
    const framework = this.#framework;
    const warnings = this.#warnings;
    if (framework.proxyTrust === undefined) return;
    const forwardedFor = framework.requestHeader(request, "x-forwarded-for");
    switch (framework.proxyTrust?.(request)) {
      case "all":
        warnings.say("TIDEGATE_PROXY_TRUSTS_ALL");
        break;
      case "hops":
        warnings.say("TIDEGATE_PROXY_TRUSTS_HOPS");
        break;
      case "none":
        if (forwardedFor !== undefined) warnings.say("TIDEGATE_FORWARDED_FOR_UNTRUSTED");
        break;
      case "sender":
        if (forwardedFor === undefined) warnings.say("TIDEGATE_FORWARDED_FOR_ABSENT");
        break;
      default:
    }
    if (framework.requestHeader(request, "forwarded") === undefined) return;
    if (framework.address(request) === framework.socketAddress?.(request)) {
      warnings.say("TIDEGATE_FORWARDED_IGNORED");
    }
  }
}

/**
 * Reads the address that each request is counted by, for display to users. A value that users
 * compare is then never one that a client invented.
 */
export function addressReader<Request, Response>(
  framework: Framework<Request, Response>,
  { onPermissiveProxy }: AddressOptions,
): (request: Request) => string | undefined {
  const client = new ClientAddress(framework, SILENT, { onPermissiveProxy });
  return (request) => client.counted(request);
}

/** How many IPv6 addresses keep their keys, and how many are read for each that is added. */
const RECENT_MAX = 1_024;
const READ_PER_RECENT = 16;
/** Longer texts are no plain addresses. */
const RECENT_LENGTH_MAX = 45;

export class AddressKeys {
  readonly #prefixes: readonly Groups[];
  /**
   * Keys of IPv6 addresses that were read lately, by their texts: finding one takes a tenth of the
   * time of reading it. docs/decisions/price-of-a-hot-check.md says what that saves.
   */
  readonly #recent = new Map<string, { readonly subnet: Ipv6Subnet; readonly key: string }>();
  #read = 0;

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
    const recent = this.#recent.get(text);
    if (recent?.subnet === subnet) return recent.key;
    const groups = parseIpv6(text) ?? parseAddress(bareAddress(text));
    if (groups === null) return null;
    const key = this.#keyOf(groups, subnet);
    if (++this.#read % READ_PER_RECENT === 0) this.#remember(text, subnet, key);
    return key;
  }

  #keyOf(groups: Groups, subnet: Ipv6Subnet): string {
    if (isMapped(groups) || this.#isTranslated(groups)) return lastIpv4(groups);
    if (subnet === false) return formatIpv6(groups);
    return `${formatIpv6(networkOf(groups, subnet))}/${subnet}`;
  }

  #remember(text: string, subnet: Ipv6Subnet, key: string): void {
    // The engine may have cut the text out of a long header, which a copy does not keep.
    const copy = Buffer.from(text, "latin1").toString("latin1");
    if (copy !== text || text.length > RECENT_LENGTH_MAX) return;
    if (this.#recent.size >= RECENT_MAX) this.#recent.clear();
    this.#recent.set(copy, { subnet, key });
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
