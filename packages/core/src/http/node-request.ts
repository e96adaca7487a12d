/**
 * What is read of Node's own requests, which every framework here is built on.
 */

import type { IncomingHttpHeaders } from "node:http";

/** A header by its name in lower case; of several lines what they say together. */
export function requestHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "object" ? value.join(", ") : value;
}
