/**
 * A list of addresses, networks and keys that are always allowed or always blocked.
 *
 * An entry that reads like an address or a network is one. An entry that only looks like a network
 * throws. Every other entry is a key, so a list may mix them. Addresses are compared with the
 * client's address and never with its key: the client may have chosen the text that a key function
 * returns. Keys are looked up in a set; networks are compared one by one.
 */

import { invalidOption } from "../../base/options.ts";
import { bareAddress, type Groups, isIpv4, parseAddress, sharePrefix } from "./address.ts";

/**
 * Parts of an address with a star, or followed by a slash and a length or mask. No client has such
 * a key, so the entry would not block the client that it is meant for.
 */
const MEANT_AS_NETWORK =
  /^(?=[^/]*[.:])[\da-f.:*]+\/([\d.*]*|[\da-f.:*]*:[\da-f.:*]*)$|^(?=.*[.:])[\da-f.:]*\*[\da-f.:*]*$|^\*$/i;

interface Network {
  readonly groups: Groups;
  readonly bits: number;
}

export class AddressList {
  /** Whether any entry is an address or network. */
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
   * Whether the key is listed, or one of the addresses is in a listed network.
   *
   * @param addresses the address that the request is counted by, and the one before it was
   * unwrapped
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
 * An entry as a network (an address has the full length); null for a key. Throws for an address
 * with an invalid length.
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
