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

/** Connections of as many clients, each from an address of its own. */
export function clients(count: number): Socket[] {
  return Array.from({ length: count }, (_, index) => {
    const address = `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
    return Object.defineProperty(new Socket(), "remoteAddress", { value: address });
  });
}

/** Has a request of a client answered; resolves with the response once it has ended. */
export function exchange(listener: RequestListener, client: Socket): Promise<ServerResponse> {
  return new Promise((resolve) => {
    const request = new IncomingMessage(client);
    request.method = "GET";
    request.url = "/";
    request.headers = { host: "localhost" };
    const response = new ServerResponse(request);
    const { end } = response;
    // Express puts prototypes of its own under its responses, so this is no method of a class.
    response.end = function ended(this: ServerResponse, ...rest: never[]): ServerResponse {
      Reflect.apply(end, this, rest);
      resolve(this);
      return this;
    };
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
