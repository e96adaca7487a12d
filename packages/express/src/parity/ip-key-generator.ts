/**
 * The key of an address, for key functions that count some requests by it.
 */

import { addressAnswer } from "@tidegate/core/http";

/**
 * An address as a key: IPv4 as it is, IPv6 by its network.
 *
 * @example
 * rateLimit({ keyGenerator: (req) => req.get("x-api-key") ?? ipKeyGenerator(req.ip) });
 */
export function ipKeyGenerator(ip: string | undefined, ipv6Subnet: number | false = 56): string {
  return addressAnswer(ip, ipv6Subnet);
}
