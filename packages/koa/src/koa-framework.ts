/**
 * Koa for the HTTP layer: one context is both request and response, with Node's own below.
 *
 * Headers are read and written on Node's response, where any middleware's headers are.
 */

import {
  beforeWriteHead,
  type Framework,
  followServerResponse,
  type ProxyTrust,
  requestHeader,
} from "@tidegate/core/http";
import type { Context } from "koa";

const FORWARDED_FOR = "x-forwarded-for";

export const KOA: Framework<Context, Context> = {
  method: (ctx) => ctx.req.method,
  requestHeader: (ctx, name) => requestHeader(ctx.req.headers, name),
  address: (ctx) => ctx.ip || undefined,
  socketAddress: (ctx) => ctx.req.socket?.remoteAddress,
  connection: (ctx) => ctx.req.socket,
  proxyTrust,
  body: ({ request }) => Reflect.get(request, "body"),
  header: (ctx, name) => ctx.res.getHeader(name),
  setHeader: (ctx, name, value) => {
    ctx.res.setHeader(name, value);
  },
  removeHeader: (ctx, name) => ctx.res.removeHeader(name),
  headersSent: (ctx) => ctx.res.headersSent,
  statusCode: (ctx) => ctx.res.statusCode,
  followEnd: (ctx, listener) => followServerResponse(ctx.res, listener),
  beforeHeaders: (ctx, listener) => beforeWriteHead(ctx.res, listener),
};

/** Koa does not check the sender of a header: with `proxy` it believes every sender. */
function proxyTrust({ app }: Context): ProxyTrust {
  if (!app.proxy) return "none";
  const { proxyIpHeader = FORWARDED_FOR, maxIpsCount = 0 } = app;
  if (proxyIpHeader.toLowerCase() !== FORWARDED_FOR) return "some";
  return maxIpsCount > 0 ? "sender" : "all";
}
