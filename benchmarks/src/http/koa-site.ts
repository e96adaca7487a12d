/**
 * Koa behind each limiter.
 */

import { rateLimit } from "@tidegate/koa";
import Koa, { type Middleware } from "koa";
import peer from "koa-ratelimit";
import type { RequestListener } from "./exchange.ts";
import { HandWritten, LIMIT_TEXT, REFUSAL, remainingOf } from "./hand-written.ts";
import { LIMIT, type LimiterName, type Unlimited, WINDOW_MS } from "./site.ts";

const SUBNET = 64;

export async function koaSite(
  limiter: LimiterName | Unlimited,
  sendsHeaders: boolean,
): Promise<RequestListener> {
  const app = new Koa();
  if (limiter !== "nothing") app.use(middlewareOf(limiter, sendsHeaders));
  app.use((context) => {
    context.body = "admitted";
  });
  return app.callback();
}

function middlewareOf(
  limiter: Exclude<LimiterName | Unlimited, "nothing">,
  sendsHeaders: boolean,
): Middleware {
  const options = { max: LIMIT, duration: WINDOW_MS, disableHeader: !sendsHeaders };
  if (limiter === "passing on") return (_context, next) => next();
  if (limiter === "tidegate") return rateLimit(options);
  return limiter === "peer"
    ? peer({ ...options, driver: "memory", db: new Map() })
    : handWritten(sendsHeaders);
}

function handWritten(sendsHeaders: boolean): Middleware {
  const limiter = new HandWritten(SUBNET);
  return (context, next) => {
    const key = limiter.keyOf(context.ip);
    if (key === null) return next();
    const window = limiter.count(key);
    if (sendsHeaders) {
      context.set("X-RateLimit-Remaining", String(remainingOf(window)));
      context.set("X-RateLimit-Limit", LIMIT_TEXT);
      context.set("X-RateLimit-Reset", window.resetSeconds);
    }
    if (window.used <= LIMIT) return next();
    context.status = 429;
    context.body = REFUSAL;
    return Promise.resolve();
  };
}
