/**
 * One request and its response without a line between them: Node's own objects, as a server makes them.
 *
 * The response is complete: its head is put into text, as the cost of a header is to be measured with
 * what it costs to send it. Nothing takes that text.
 */

import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";

/** What answers a request, as a server would call it. */
export type RequestListener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Of the internet protocol: the version of its addresses. */
export type Family = 4 | 6;

/** Connections of as many clients, each from an address, or for IPv6 a network, of its own. */
export function clients(count: number, family: Family): Socket[] {
  return Array.from({ length: count }, (_, index) => {
    const parts = [index >> 16, (index >> 8) & 255, index & 255];
    const address =
      family === 4
        ? `10.${parts.join(".")}`
        : `2001:db8:${index.toString(16)}:${(0x1000 + index).toString(16)}::7:1a2b`;
    return Object.defineProperty(new Socket(), "remoteAddress", { value: address });
  });
}

/**
 * Told of each response that ends. Every response inherits this, below the prototypes that frameworks put
 * in between; an `end` of its own would give each a shape of its own, and make every access slow.
 */
let ended: (response: ServerResponse) => void = () => {};
const { end } = ServerResponse.prototype;
ServerResponse.prototype.end = function told(this: ServerResponse, ...rest: never[]) {
  Reflect.apply(end, this, rest);
  ended(this);
  return this;
};

/** Has a request of a client answered, one at a time; resolves with the response once it has ended. */
export function exchange(listener: RequestListener, client: Socket): Promise<ServerResponse> {
  return new Promise((resolve) => {
    const request = new IncomingMessage(client);
    request.method = "GET";
    request.url = "/";
    request.headers = { host: "localhost" };
    const response = new ServerResponse(request);
    ended = resolve;
    listener(request, response);
  });
}

/** The header fields of a response that has ended, by their names in lower case. */
export function sentFields(response: ServerResponse): ReadonlyMap<string, string> {
  const head: unknown = Reflect.get(response, "_header");
  if (typeof head !== "string") throw new Error("no head of a response was made");
  const lines = head.split("\r\n").slice(1);
  return new Map(
    lines.map((line) => {
      const [name = "", ...value] = line.split(": ");
      return [name.toLowerCase(), value.join(": ")];
    }),
  );
}
