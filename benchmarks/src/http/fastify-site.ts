/**
 * Fastify behind each limiter.
 */

import { createRequire } from "node:module";
import { rateLimit } from "@tidegate/fastify";
import fastify, {
  type FastifyInstance,
  type FastifyPluginAsync,
  type onRequestHookHandler,
} from "fastify";
import type { RequestListener } from "./exchange.ts";
import { HandWritten, LIMIT_TEXT, REFUSAL, remainingOf } from "./hand-written.ts";
import { LIMIT, type LimiterName, type Unlimited, WINDOW_MS } from "./site.ts";

const SUBNET = 64;

/** Not imported, since its types say of every application what tidegate's say otherwise. */
const peer: FastifyPluginAsync<object> = createRequire(import.meta.url)("@fastify/rate-limit");

export async function fastifySite(
  limiter: LimiterName | Unlimited,
  sendsHeaders: boolean,
): Promise<RequestListener> {
  const app = fastify();
  if (limiter !== "nothing") await limit(app, limiter, sendsHeaders);
  app.get("/", (_request, reply) => {
    reply.send("admitted");
  });
  await app.ready();
  return (request, response) => app.routing(request, response);
}

async function limit(
  app: FastifyInstance,
  limiter: LimiterName | "passing on",
  sendsHeaders: boolean,
): Promise<void> {
  const shown = {
    "x-ratelimit-limit": sendsHeaders,
    "x-ratelimit-remaining": sendsHeaders,
    "x-ratelimit-reset": sendsHeaders,
  };
  const options = {
    ...{ max: LIMIT, timeWindow: WINDOW_MS },
    ...{ addHeaders: shown, addHeadersOnExceeding: shown },
  };
  if (limiter === "tidegate") await app.register(rateLimit, options);
  else if (limiter === "peer") await app.register(peer, options);
  else if (limiter === "passing on") app.addHook("onRequest", (_request, _reply, done) => done());
  else app.addHook("onRequest", handWritten(sendsHeaders));
}

/** The reset is a number of seconds from now, as @fastify/rate-limit tells it. */
function handWritten(sendsHeaders: boolean): onRequestHookHandler {
  const limiter = new HandWritten(SUBNET);
  return (request, reply, done) => {
    const key = limiter.keyOf(request.ip);
    if (key === null) return done();
    const window = limiter.count(key);
    if (sendsHeaders) {
      const leftMs = window.resetTime.getTime() - Date.now();
      reply.header("x-ratelimit-limit", LIMIT_TEXT);
      reply.header("x-ratelimit-remaining", String(remainingOf(window)));
      reply.header("x-ratelimit-reset", String(Math.ceil(leftMs / 1_000)));
    }
    if (window.used <= LIMIT) return done();
    reply.code(429).send(REFUSAL);
  };
}
