import type { Limiter } from "@tidegate/core";
import fastify, {
  type FastifyReply,
  type FastifyRequest,
  type preHandlerAsyncHookHandler,
} from "fastify";
import { expectTypeOf, it } from "vitest";
import fastifyRateLimit, {
  type CreateRateLimitOptions,
  type errorResponseBuilderContext,
  type FastifyRateLimitOptions,
  type FastifyRateLimitStore,
  type FastifyRateLimitStoreCtor,
  normalizeIP,
  type RateLimitHook,
  type RateLimitOptions,
  type RateLimitPluginOptions,
  type RateLimitState,
} from "../../src/index.ts";

const app = fastify();

it("takes what @fastify/rate-limit took", async () => {
  const options: RateLimitPluginOptions = {
    global: true,
    max: async (_request: FastifyRequest, key: string) => key.length,
    timeWindow: "1 minute",
    hook: "preHandler" satisfies RateLimitHook,
    cache: 10_000,
    allowList: async (_request, _key) => true,
    skipOnError: true,
    ban: 10,
    continueExceeding: false,
    exponentialBackoff: true,
    keyGenerator: async (_request: FastifyRequest) => 42,
    ipv6Subnet: 64,
    groupId: "42",
    nameSpace: "limit-",
    enableDraftSpec: true,
    errorResponseBuilder: (request, context: errorResponseBuilderContext) => ({
      statusCode: context.ban ? 403 : context.statusCode,
      message: `${request.ip} ${context.after} ${context.max} ${context.ttl}`,
    }),
    addHeaders: { "x-ratelimit-limit": false, "retry-after": false },
    addHeadersOnExceeding: { "ratelimit-reset": false },
    onExceeding: (_request, _key) => {},
    onExceeded: (_request, _key) => {},
    onBanReach: (_request, _key) => {},
  };
  await app.register(fastifyRateLimit, options);
  await app.register(fastifyRateLimit);
});

it("takes what users of @fastify/rate-limit write in JavaScript", () => {
  const allowLists = [["192.0.2.1"], [42, "ada"], "192.0.2.1,192.0.2.2"] as const;
  for (const allowList of allowLists) expectTypeOf({ allowList }).toExtend<RateLimitOptions>();
  expectTypeOf({ errorResponseBuilder: () => "slow down" }).toExtend<RateLimitOptions>();
});

it("adds to the framework's own types", async () => {
  app.get("/", { config: { rateLimit: { max: 10, timeWindow: "60s" } } }, async () => "limited");
  app.get("/public", { config: { rateLimit: false } }, async () => "public");
  expectTypeOf(app.rateLimit()).toExtend<preHandlerAsyncHookHandler>();
  expectTypeOf(app.rateLimit().limiters).toEqualTypeOf<readonly Limiter[]>();
  const own: RateLimitOptions = { max: 5, groupId: "otp" };
  app.route({ method: "GET", url: "/own", preHandler: app.rateLimit(own), handler: () => {} });
  const asked: CreateRateLimitOptions = { max: 1, timeWindow: () => 5_000 };
  const ask = app.createRateLimit(asked);
  expectTypeOf(ask.limiter).toEqualTypeOf<Limiter>();
  const state = await ask({} as FastifyRequest, { increment: false });
  expectTypeOf(state).toEqualTypeOf<RateLimitState>();
  if (!state.isAllowed) expectTypeOf(state.ttlInSeconds).toBeNumber();
  expectTypeOf(normalizeIP("::1", 64)).toBeString();
  expectTypeOf<FastifyRateLimitStoreCtor>().instance.toEqualTypeOf<FastifyRateLimitStore>();
  expectTypeOf<FastifyRateLimitOptions>().toBeObject();
});

it("passes functions the request, the key, and the reply", () => {
  const options: RateLimitOptions = {
    limit: (request, key, reply) => (request.id === key && reply?.sent === true ? 1 : 2),
    cost: async (request) => ({ tokens: Number(request.headers["x-tokens"]) }),
    charge: (_request, reply) => reply.statusCode,
    onLimited: (_request, reply, refusal) => reply.log.info(refusal.reason),
  };
  expectTypeOf(options).toExtend<RateLimitOptions>();
});

it("passes functions no reply for createRateLimit", () => {
  const limit = (_request: FastifyRequest, _key: string, { sent }: FastifyReply) => (sent ? 1 : 2);
  // @ts-expect-error: there may be none.
  app.createRateLimit({ limit });
  app.createRateLimit({ key: (request, reply) => reply?.elapsedTime ?? request.id });
});

it("refuses stores that it could not keep", () => {
  // @ts-expect-error: no Redis is taken.
  app.register(fastifyRateLimit, { redis: {} });
  // @ts-expect-error: no custom store is taken.
  app.rateLimit({ store: class {} });
});
