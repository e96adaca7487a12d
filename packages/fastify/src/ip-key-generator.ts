/**
 * The key of an address, for key functions that count some requests by it.
 */

import { addressAnswer } from "@tidegate/core/http";

/**
 * An address as a key: IPv4 as it is, IPv6 by its network. In a cluster that is one of 56 bits.
 *
 * @example
 * await fastify.register(rateLimit, { key: (request) => request.userId ?? ipKeyGenerator(request.ip) });
 */
export function ipKeyGenerator(ip: string | undefined, ipv6Subnet: number | false = 64): string {
  return addressAnswer(ip, ipv6Subnet);
}
