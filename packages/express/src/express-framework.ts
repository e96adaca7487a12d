/**
 * Express for the HTTP layer: its requests and responses are Node's own, plus `req.ip` and the
 * setting `trust proxy`.
 *
 * Tests of applications call middleware with hand-made requests and responses, which have only the
 * parts that express-rate-limit uses. Every other part may be missing here.
 */

import {
  beforeWriteHead,
  type Framework,
  followServerResponse,
  type ProxyTrust,
  requestHeader,
} from "@tidegate/core/http";
import type { Request, Response } from "express";
import { requestAddress, senderAddress } from "./request-address.ts";

export const EXPRESS: Framework<Request, Response> = {
  method: (request) => Reflect.get(request, "method"),
  requestHeader: (request, name) => requestHeader(request.headers, name),
  address: requestAddress,
  socketAddress: senderAddress,
  body: (request) => request.body,
  connection: (request) => Reflect.get(request, "socket"),
  proxyTrust,
  header: (response, name) => response.getHeader?.(name),
  setHeader: (response, name, value) => {
    response.setHeader?.(name, value);
  },
  removeHeader: (response, name) => response.removeHeader?.(name),
  headersSent: (response) => response.headersSent,
  statusCode: (response) => response.statusCode,
  followEnd: (response, listener) => followServerResponse(response, listener),
  beforeHeaders: (response, listener) => beforeWriteHead(response, listener),
};

function proxyTrust(request: Request): ProxyTrust {
  const setting: unknown = request.app?.get("trust proxy");
  if (setting === true) return "all";
  if (!setting) return "none";
  const trusts: unknown = request.app.get("trust proxy fn");
  const sender = request.socket?.remoteAddress;
  return typeof trusts === "function" && trusts(sender, 0) === true ? "sender" : "some";
}
