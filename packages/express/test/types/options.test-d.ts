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

  it("is told of what no option is", () => {
    // @ts-expect-error: an option by a name that is none.
    rateLimit({ nonsense: 1 });
    // @ts-expect-error: a limit is a number.
    rateLimit({ limit: "5" });
  });
});
