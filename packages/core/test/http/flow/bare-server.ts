/**
 * A gate before Node's own servers, without a framework.
 */

import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Http2Server, Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { AddressInfo } from "node:net";
import {
  type Framework,
  followServerResponse,
  type Gate,
  type GateOptions,
  makeGate,
  requestHeader,
  Warnings,
} from "../../../src/http.ts";
import type { Policy } from "../../../src/index.ts";

export type Request = IncomingMessage | Http2ServerRequest;
export type Response = ServerResponse | Http2ServerResponse;

const NODE: Framework<Request, Response> = {
  method: ({ method }) => method,
  requestHeader: ({ headers }, name) => requestHeader(headers, name),
  address: ({ socket }) => socket.remoteAddress,
  socketAddress: ({ socket }) => socket.remoteAddress,
  connection: ({ socket }) => socket,
  header: (response, name) => response.getHeader(name),
  setHeader: (response, name, value) => {
    response.setHeader(name, value);
  },
  removeHeader: (response, name) => response.removeHeader(name),
  headersSent: ({ headersSent }) => headersSent,
  statusCode: ({ statusCode }) => statusCode,
  followEnd: (response, listener) => followServerResponse(response, listener),
  beforeHeaders: () => {},
};

export function gateOf(
  policy: Policy,
  options: GateOptions<Request, Response>,
): Gate<Request, Response> {
  const adapter = { framework: NODE, warnings: new Warnings(false) };
  return makeGate({ policies: [policy], ...options }, adapter);
}

const opened: { close(): unknown }[] = [];

/** Notes what is to be closed once a test is over. */
export function closeLater(...those: { close(): unknown }[]): void {
  opened.push(...those);
}

export function closeAll(): void {
  for (const each of opened.splice(0)) each.close();
}

export async function portOf(server: Server | Http2Server): Promise<number> {
  closeLater(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}
