/**
 * Fastify, as the contract of middleware needs it: each limiter is one registration of the plugin.
 */

import type { Served, SitePlan, WebFramework } from "@tidegate/testkit/http";
import fastify, { type FastifyRequest } from "fastify";
import {
  compositeKey,
  ipKeyGenerator,
  type RateLimitPluginOptions,
  rateLimit,
} from "../src/index.ts";

export const FASTIFY_5: WebFramework = {
  name: "Fastify 5",
  resetAs: "delta",
  legacy: ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"],
  subnet: 64,
  refusal: {
    type: "application/json; charset=utf-8",
    text: JSON.stringify({
      ...{ statusCode: 429, error: "Too Many Requests" },
      message: "Rate limit exceeded, retry in 1 minute",
    }),
  },
  ...{ ipKeyGenerator, compositeKey },
  header: (request, name) => (request as FastifyRequest).headers[name] as string | undefined,
  serve,
};

async function serve(plan: SitePlan): Promise<Served> {
  const { limiters, trust = "none", before = {}, answer = {}, isHasty = false } = plan;
  const trustProxy = { none: false, loopback: "loopback", all: true }[trust];
  const app = fastify({ trustProxy, exposeHeadRoutes: true });
  app.addHook("onRequest", async (_request, reply) => {
    reply.headers(before);
    if (isHasty) reply.raw.flushHeaders();
  });
  for (const options of limiters) {
    await app.register(rateLimit, options as RateLimitPluginOptions);
  }
  app.route({
    ...{ method: ["GET", "POST", "OPTIONS"], url: "/" },
    handler: async (_request, reply) => {
      const { status = 200, headers = {}, handle } = answer;
      if (reply.raw.headersSent || handle !== undefined) {
        reply.hijack();
        await answer.wait?.();
        await (handle ?? ((response) => response.end()))(reply.raw);
        return;
      }
      await answer.wait?.();
      return reply.code(status).headers(headers).send("admitted");
    },
  });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  return { url, limiters: app.rateLimit().limiters, close: () => app.close() };
}
