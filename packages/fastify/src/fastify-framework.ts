/**
 * Fastify for the HTTP layer.
 *
 * Fastify keeps headers until it sends them, so they are read and written through its reply. The
 * effect of its setting `trustProxy` cannot be read. So this file asks Fastify which addresses it
 * would trust.
 */

import {
  beforeWriteHead,
  type Framework,
  followServerResponse,
  type HeaderValue,
  type ProxyTrust,
  requestHeader,
} from "@tidegate/core/http";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Addresses that no client has: an application believes them only if it believes every sender. */
const UNUSED_ADDRESSES = ["192.0.2.1", "192.0.2.2", "192.0.2.3"] as const;

/** How requests are read. */
export const FASTIFY_REQUEST: Pick<
  Framework<FastifyRequest, unknown>,
  "method" | "requestHeader" | "address" | "socketAddress" | "connection" | "proxyTrust" | "body"
> = {
  method: (request) => request.method,
  requestHeader: (request, name) => requestHeader(request.headers, name),
  address: (request) => request.ip,
  socketAddress: (request) => request.raw.socket?.remoteAddress,
  connection: (request) => request.raw.socket,
  proxyTrust,
  body: (request) => request.body,
};

export const FASTIFY: Framework<FastifyRequest, FastifyReply> = {
  ...FASTIFY_REQUEST,
  header: (reply, name) => reply.getHeader(name) as HeaderValue,
  setHeader: (reply, name, value) => {
    reply.header(name, value);
  },
  removeHeader: (reply, name) => {
    reply.removeHeader(name);
  },
  headersSent: (reply) => reply.raw.headersSent,
  statusCode: (reply) => reply.raw.statusCode,
  followEnd: (reply, listener) => followServerResponse(reply.raw, listener),
  beforeHeaders: (reply, listener) => beforeWriteHead(reply.raw, listener),
};

function proxyTrust(request: FastifyRequest): ProxyTrust {
  if (request.ips === undefined) return "none";
  const [sender, middle, first] = UNUSED_ADDRESSES;
  if (believed(request, sender, `${first}, ${middle}`) === 2) return "all";
  if (believed(request, request.raw.socket?.remoteAddress, first) === 1) return "sender";
  return trustSetting(request) === "number" ? "hops" : "some";
}

/** How many addresses of `forwardedFor` Fastify would believe from `sender`. */
function believed(
  request: FastifyRequest,
  sender: string | undefined,
  forwardedFor: string,
): number {
  const socket = { remoteAddress: sender };
  const raw = { headers: { "x-forwarded-for": forwardedFor }, socket, connection: socket };
  const asked: FastifyRequest = Object.create(request, { raw: { value: raw } });
  return (asked.ips?.length ?? 1) - 1;
}

/** The type of the setting: a number of hops cannot be detected in any other way. */
function trustSetting({ server }: FastifyRequest): string {
  for (let at: object | null = server; at !== null; at = Object.getPrototypeOf(at)) {
    const symbol = Object.getOwnPropertySymbols(at).find(
      ({ description }) => description === "fastify.options",
    );
    if (symbol === undefined) continue;
    const options: { trustProxy?: unknown } = Reflect.get(at, symbol);
    return typeof options.trustProxy;
  }
  return "undefined";
}
