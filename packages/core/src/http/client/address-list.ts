/**
 * Who is always let through, or never: addresses, networks and keys.
 *
 * What reads like an address or a network is one, what only looks like a network is a mistake, and
 * everything else is a key, so a list may mix them. An address matches the address that a request comes
 * from and never its key: what a function answers with may be text that the client made up. Keys are
 * looked up, networks compared one by one.
 */

import { invalidOption } from "../../base/options.ts";
import { bareAddress, type Groups, isIpv4, parseAddress, sharePrefix } from "./address.ts";

/**
 * Parts of an address, and behind a slash a length or a mask; or with a star among them. No client has such
 * a key, and the client that is to be kept out would not be.
 */
const MEANT_AS_NETWORK =
  /^(?=[^/]*[.:])[\da-f.:*]+\/([\d.*]*|[\da-f.:*]*:[\da-f.:*]*)$|^(?=.*[.:])[\da-f.:]*\*[\da-f.:*]*$|^\*$/i;

interface Network {
  readonly groups: Groups;
  readonly bits: number;
}

export class AddressList {
  /** Whether an address can be in it at all. */
  readonly hasAddresses: boolean;
  readonly #keys: ReadonlySet<string>;
  readonly #networks: readonly Network[];

  constructor(option: string, entries: unknown) {
    if (!Array.isArray(entries)) {
      throw invalidOption(
        option,
        "an array of addresses, networks and keys, or a function",
        entries,
      );
    }
    const networks: Network[] = [];
    const keys = new Set<string>();
    entries.forEach((entry: unknown, index) => {
      if (typeof entry !== "string" || entry === "") {
        throw invalidOption(`${option}[${index}]`, "an address, a network or a key", entry);
      }
      const network = networkOf(`${option}[${index}]`, entry);
      if (network !== null) networks.push(network);
      else if (!MEANT_AS_NETWORK.test(entry)) keys.add(entry);
      else {
        throw invalidOption(
          `${option}[${index}]`,
          'an address, a network such as "203.0.113.0/24" or "2001:db8::/32", or a key that looks like neither',
          entry,
        );
      }
    });
    this.#keys = keys;
    this.#networks = networks;
    this.hasAddresses = networks.length > 0;
  }

  /**
   * Whether the key is listed, or an address is one of those listed or in a network listed.
   *
   * @param addresses the one that a request is counted by, and what it was before it was unwrapped
   */
  has(key: unknown, addresses: readonly (string | null | undefined)[]): boolean {
    if (typeof key === "string" && this.#keys.has(key)) return true;
    return this.hasAddresses && addresses.some((address) => this.#covers(address));
  }

  #covers(address: string | null | undefined): boolean {
    const groups = typeof address === "string" ? parseAddress(bareAddress(address)) : null;
    return (
      groups !== null &&
      this.#networks.some((network) => sharePrefix(groups, network.groups, network.bits))
    );
  }
}

/**
 * An entry as a network, an address being one of full length; null for what is neither. An address and a
 * number that is no length is a mistake, and no key.
 */
function networkOf(place: string, entry: string): Network | null {
  const slash = entry.indexOf("/");
  const address = slash < 0 ? entry : entry.slice(0, slash);
  const groups = parseAddress(address);
  if (groups === null) return null;
  const most = isIpv4(address) ? 32 : 128;
  const given = slash < 0 ? String(most) : entry.slice(slash + 1);
  if (!/^\d+$/.test(given)) return null;
  if (!/^(0|[1-9]\d{0,2})$/.test(given) || Number(given) > most) {
    throw invalidOption(place, `a network with a length from 0 to ${most} bits`, entry);
  }
  return { groups, bits: Number(given) + (128 - most) };
}
