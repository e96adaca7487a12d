import { fixedWindow } from "@tidegate/core";
import type { Options as TheirOptions, Store as TheirStore } from "express-rate-limit";
import { assertType, describe, expectTypeOf, it } from "vitest";
import rateLimit, {
  ipKeyGenerator,
  type Options,
  type RateLimitInfo,
  type RateLimitOptions,
  type RateLimitRequestHandler,
  type Store,
  type tidegateStore,
} from "../../src/index.ts";

describe("what users of express-rate-limit have written", () => {
  it("compiles with the other import", () => {
    const limiter = rateLimit({
      windowMs: 15 * 60 * 1000,
      limit: 100,
      standardHeaders: "draft-8",
      legacyHeaders: false,
      ipv6Subnet: 56,
      validate: { trustProxy: false, default: true },
      keyGenerator: (req, res) => res.locals["key"] ?? ipKeyGenerator(req.ip ?? "", 64),
      skip: (req) => req.ip === "127.0.0.1",
      handler: (req, res, _next, options) =>
        res.status(options.statusCode).send(`${req.path}: ${options.windowMs / 1_000} s`),
      message: async () => "no",
      requestWasSuccessful: (_req, res) => res.statusCode < 300,
      logger: console,
    });
    expectTypeOf(limiter).toEqualTypeOf<RateLimitRequestHandler>();
    rateLimit({ max: async (req) => (req.get("x-plan") ? 10 : 1), headers: true });
    rateLimit();
    assertType<RateLimitOptions>({ limit: (_req, _res, key) => String(key).length });
  });

  it("takes stores of that package, and gives stores to it", () => {
    const theirs = {} as TheirStore;
    rateLimit({ store: theirs });
    expectTypeOf(theirs).toExtend<Store>();
    expectTypeOf<ReturnType<typeof tidegateStore>>().toExtend<TheirStore>();
  });

  it("has the options that it had", () => {
    expectTypeOf<keyof TheirOptions>().toExtend<keyof Options>();
    expectTypeOf<RateLimitInfo["resetTime"]>().toEqualTypeOf<Date | undefined>();
  });

  it("rejects what is no option", () => {
    // @ts-expect-error: an option by a name that is none.
    rateLimit({ nonsense: 1 });
    // @ts-expect-error: a limit is a number.
    rateLimit({ limit: "5" });
  });

  it("has to give a limit to the preset that has none", () => {
    // @ts-expect-error: 'api' has no limit of its own.
    rateLimit({ preset: "api" });
    // @ts-expect-error: and the window is none.
    rateLimit({ preset: "api", name: "orders", windowMs: 1_000 });
    // @ts-expect-error: nor is what is not there.
    rateLimit({ preset: "api", limit: undefined });
    // @ts-expect-error: an option by a name that is none.
    rateLimit({ preset: "api", limit: 5, nonsense: 1 });
    rateLimit({ preset: "api", limit: 5, skip: (req) => req.ip === "127.0.0.1" });
    rateLimit({ preset: "api", max: async (req) => (req.get("x-plan") ? 10 : 1) });
    rateLimit({ preset: "api", policies: [fixedWindow({ limit: 5, windowMs: 1_000 })] });
    rateLimit({ preset: "login", username: (req) => req.get("x-user") });
  });

  it("may have its options from elsewhere", () => {
    const options: RateLimitOptions = {};
    rateLimit(options);
    rateLimit({ limit: 5, ...({} as Partial<Options>) });
    const make = (given: Parameters<typeof rateLimit>[0]) => rateLimit(given);
    make({ limit: 5 });
    expectTypeOf<ReturnType<typeof rateLimit>>().toEqualTypeOf<RateLimitRequestHandler>();
  });
});
