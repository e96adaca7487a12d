import type { Limiter } from "@tidegate/core";
import Koa, { type Context, type Middleware } from "koa";
import { expectTypeOf, it } from "vitest";
import ratelimit, {
  type HeaderNameOptions,
  type MiddlewareOptions,
  type Options,
  rateLimit,
} from "../../src/index.ts";

it("takes what koa-ratelimit took", () => {
  const headers: HeaderNameOptions = { remaining: "Left", reset: "Until", total: "All" };
  const options: MiddlewareOptions = {
    driver: "memory",
    db: new Map(),
    duration: 60_000,
    max: 100,
    id: (context: Context) => context.ip,
    headers,
    disableHeader: false,
    errorMessage: "Slow down",
    throw: true,
    namespace: "limit",
    whitelist: () => true,
    blacklist: async (context) => context.get("x-bad") !== "",
    onLimited: (context) => context.set("x-limited", "1"),
  };
  new Koa().use(ratelimit(options)).use(rateLimit());
  expectTypeOf(ratelimit(options)).toExtend<Middleware>();
  expectTypeOf(ratelimit(options).limiter).toEqualTypeOf<Limiter>();
});

it("passes functions the context, and the key where there is one", () => {
  const options: Options = {
    limit: (context, key) => (context.get("x-plan") === "pro" && key !== "ada" ? 5 : 1),
    windowMs: async () => 1_000,
    cost: (context) => ({ tokens: Number(context.get("x-tokens")) }),
    charge: (context) => Number(context.state["tokens"]),
    key: (context) => [context.get("x-tenant"), 7],
  };
  expectTypeOf(options).toExtend<Options>();
});

it("wants a limit for the preset that has none", () => {
  // @ts-expect-error: 'api' has no limit of its own.
  rateLimit({ preset: "api", duration: 1_000 });
  // @ts-expect-error: an option by a name that is none.
  rateLimit({ preset: "api", max: 5, nonsense: 1 });
  rateLimit({ preset: "api", max: 5, skip: (context) => context.ip === "127.0.0.1" });
  rateLimit({ preset: "api", limit: (context) => (context.get("x-plan") ? 10 : 1) });
  const options: Options = {};
  rateLimit(options);
});

it("refuses stores that it could not keep", () => {
  // @ts-expect-error: there is no such driver.
  rateLimit({ driver: "redis" });
  // @ts-expect-error: a database has no meaning.
  rateLimit({ db: { incr: () => 1 } });
});
