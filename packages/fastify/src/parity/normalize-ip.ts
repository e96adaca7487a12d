/** Addresses in the form of @fastify/rate-limit: an IPv6 network is written without its length. */

import { addressKey } from "@tidegate/core/http";

const SUBNET = 64;

/** The address, of IPv6 the network of `ipv6Subnet` bits; text that is no address in lower case. */
export function normalizeIP(ip: string, ipv6Subnet: number = SUBNET): string {
  const key = addressKey(ip, ipv6Subnet);
  return key === null ? ip.toLowerCase() : key.replace(/\/\d+$/, "");
}
