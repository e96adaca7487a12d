/**
 * Express behind each limiter.
 */

import { rateLimit } from "@tidegate/express";
import express, { type RequestHandler } from "express";
import { rateLimit as peer } from "express-rate-limit";
import type { RequestListener } from "./exchange.ts";
import { HandWritten, LIMIT_TEXT, REFUSAL, remainingOf } from "./hand-written.ts";
import { LIMIT, type LimiterName, type Unlimited, WINDOW_MS } from "./site.ts";

const SUBNET = 56;

export async function expressSite(
  limiter: LimiterName | Unlimited,
  sendsHeaders: boolean,
): Promise<RequestListener> {
  const app = express();
  if (limiter !== "nothing") app.use(middlewareOf(limiter, sendsHeaders));
  app.use((_request, response) => {
    response.end("admitted");
  });
  return app;
}

function middlewareOf(
  limiter: Exclude<LimiterName | Unlimited, "nothing">,
  legacyHeaders: boolean,
): RequestHandler {
  const options = { limit: LIMIT, windowMs: WINDOW_MS, legacyHeaders };
  if (limiter === "passing on") return (_request, _response, next) => next();
  if (limiter === "tidegate") return rateLimit(options);
  return limiter === "peer" ? peer(options) : handWritten(legacyHeaders);
}

/** Later handlers find what was counted where users of express-rate-limit look for it. */
function handWritten(sendsHeaders: boolean): RequestHandler {
  const limiter = new HandWritten(SUBNET);
  return (request, response, next) => {
    const key = limiter.keyOf(request.ip);
    if (key === null) return next();
    const window = limiter.count(key);
    const { used, resetTime } = window;
    const remaining = remainingOf(window);
    const info = { limit: LIMIT, used, remaining, resetTime, key };
    (request as typeof request & { rateLimit: typeof info }).rateLimit = info;
    if (sendsHeaders) {
      response.setHeader("X-RateLimit-Limit", LIMIT_TEXT);
      response.setHeader("X-RateLimit-Remaining", String(remaining));
      response.setHeader("X-RateLimit-Reset", window.resetSeconds);
    }
    if (used <= LIMIT) return next();
    response.status(429).send(REFUSAL);
  };
}
