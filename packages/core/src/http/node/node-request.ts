/**
 * What is read of Node's own requests, which every framework here is built on.
 */

import type { IncomingHttpHeaders } from "node:http";

/**
 * A header by its name in lower case; of several lines what they say together. A request that a test has
 * made by hand may have no headers.
 */
export function requestHeader(
  headers: IncomingHttpHeaders | undefined,
  name: string,
): string | undefined {
  const value = headers?.[name];
  return typeof value === "object" ? value.join(", ") : value;
}
