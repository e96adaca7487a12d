import type { TidegateWarning } from "@tidegate/core/http";
import { describe, expect, it } from "vitest";
import { type Options, type RateLimitOptions, rateLimit } from "../src/index.ts";
import { withApp } from "./app.ts";

/** A logger that keeps the codes of its warnings. */
function listener(): { heard: string[]; logger: Options["logger"] } {
  const heard: string[] = [];
  const hear = (level: string) => (warning: unknown) =>
    heard.push(`${level} ${(warning as TidegateWarning).code}`);
  return { heard, logger: { error: hear("error"), warn: hear("warn") } };
}

const MISTAKES: readonly (readonly [RateLimitOptions, string, string])[] = [
  [{ limit: 0 }, "limit", "warn TIDEGATE_LIMIT_ZERO"],
  [{ nonsense: 1 } as never, "knownOptions", "error TIDEGATE_OPTION_UNREAD"],
  [{ onLimitReached: () => {} } as never, "onLimitReached", "warn TIDEGATE_OPTION_REMOVED"],
  [
    { draft_polli_ratelimit_headers: true } as never,
    "draftPolliHeaders",
    "warn TIDEGATE_OPTION_REMOVED",
  ],
  [{ standardHeaders: "draft-9" } as never, "headersDraftVersion", "error TIDEGATE_HEADERS_UNREAD"],
  [
    { ipv6Subnet: 64, keyGenerator: () => "a" },
    "ipv6SubnetOrKeyGenerator",
    "error TIDEGATE_SUBNET_UNREAD",
  ],
];

describe("a mistake in the options", () => {
  it.each(MISTAKES)(
    "%o gives a warning to the logger, unless it is switched off",
    (options, by, said) => {
      const loud = listener();
      rateLimit({ ...options, logger: loud.logger });
      expect(loud.heard).toEqual([said]);
      for (const validate of [false, { [by]: false }, { default: false }]) {
        const quiet = listener();
        rateLimit({ ...options, logger: quiet.logger, validate });
        expect(quiet.heard).toEqual([]);
      }
      const again = listener();
      rateLimit({ ...options, logger: again.logger, validate: { default: false, [by]: true } });
      expect(again.heard).toEqual([said]);
    },
  );

  it("is refused where it could only be a mistake", () => {
    expect(() => rateLimit({ logger: (() => {}) as never })).toThrow(TypeError);
    expect(() => rateLimit({ limit: Number.NaN })).toThrow(/TIDEGATE_OPTION_INVALID/);
    expect(() => rateLimit({ windowMs: 0 })).toThrow(/TIDEGATE_OPTION_INVALID/);
  });

  it("is a name in validate that switches nothing", () => {
    const { heard, logger } = listener();
    rateLimit({ validate: { nonsense: true, keyGeneratorIpFallback: false } as never, logger });
    expect(heard).toEqual(["error TIDEGATE_SWITCH_UNREAD"]);
  });

  it("is no key function that reads an address, whatever its text says (W37)", () => {
    const { heard, logger } = listener();
    rateLimit({ keyGenerator: (req) => `${req.ip}`, logger });
    expect(heard).toEqual([]);
  });
});

describe("a mistake at work", () => {
  it("is a limiter that is made for each request", async () => {
    const { heard, logger } = listener();
    await withApp(
      [(request, response, next) => void rateLimit({ logger })(request, response, next)],
      async (app) => {
        await app.get();
      },
    );
    expect(heard).toEqual(["error TIDEGATE_MADE_PER_REQUEST"]);
    const outside = listener();
    rateLimit({ logger: outside.logger });
    expect(outside.heard).toEqual([]);
  });

  it("is a limiter that a request passes twice", async () => {
    const { heard, logger } = listener();
    const middleware = rateLimit({ logger });
    await withApp([middleware, middleware], async (app) => {
      await app.statuses(2);
    });
    expect(heard).toEqual(["error TIDEGATE_COUNTED_TWICE"]);
  });
});
