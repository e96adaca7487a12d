/**
 * The address that a request is counted by, and warnings about wrong proxy settings.
 *
 * Frameworks handle proxies; this file only verifies that their result is an address. No test of an
 * application finds a wrong proxy setting, so the first requests, and then a sample, are checked
 * for signs of one.
 */

import type { Framework } from "../framework.ts";
import { Warnings } from "../warnings.ts";
import { bareAddress } from "./address.ts";
import { AddressKeys, type Ipv6Subnet, translationPrefixes } from "./address-key.ts";

export { addressKey, checkSubnet, type Ipv6Subnet, ipKeyGenerator } from "./address-key.ts";
export { AddressList } from "./address-list.ts";

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
      this.#isPermissive ??= framework.proxyTrust?.(request) === "everybody";
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
      case "everybody":
        warnings.say("TIDEGATE_PROXY_TRUSTS_ALL");
        break;
      case "ignored hops":
        warnings.say("TIDEGATE_PROXY_TRUSTS_HOPS");
        break;
      case "nobody":
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
