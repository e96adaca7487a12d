import { describe, expect, it } from "vitest";
import { DRAFTS, type Draft, fieldsOf } from "../../../src/http.ts";
import {
  concurrency,
  createLimiter,
  fixedWindow,
  MINUTE,
  slidingWindow,
} from "../../../src/index.ts";
import { manualClock } from "../../../src/testing.ts";
import { Stand } from "../exchange.ts";

const NAMES = {
  limit: "X-RateLimit-Limit",
  remaining: "X-RateLimit-Remaining",
  reset: "X-RateLimit-Reset",
};

/** What a middleware sends for three requests, of which the last is refused. */
function sentBy(format: "legacy" | Draft): Record<string, string>[] {
  const stand = new Stand(
    {
      ...{ preset: "api", name: "api", exposeHeaders: false },
      policies: [
        fixedWindow({ limit: 2, windowMs: MINUTE }),
        slidingWindow({ limit: 9, windowMs: MINUTE }),
      ],
      legacyHeaders: format === "legacy",
      standardHeaders: format === "legacy" ? false : format,
      clock: manualClock(),
    },
    {},
    { legacy: { allowed: NAMES, refused: NAMES, resetAs: "delta" } },
  );
  return [1, 2, 3].map(() => {
    const { "cache-control": _noStore, ...sent } = Object.fromEntries(
      stand.enter().response.headers,
    );
    return sent;
  });
}

describe("fieldsOf", () => {
  it.each(["legacy", ...DRAFTS] as const)("gives in %s what a middleware would send", (format) => {
    const limiter = createLimiter({
      name: "api",
      policies: [
        fixedWindow({ limit: 2, windowMs: MINUTE }),
        slidingWindow({ limit: 9, windowMs: MINUTE }),
      ],
      clock: manualClock(),
    });
    const told = [1, 2, 3].map(() =>
      Object.fromEntries(
        fieldsOf(limiter.check("ada"), limiter, format).map(([name, value]) => [
          name.toLowerCase(),
          value,
        ]),
      ),
    );
    expect(told).toEqual(sentBy(format).map((sent) => expect.objectContaining(sent)));
    expect(told.map((fields) => Object.keys(fields).sort())).toEqual(
      sentBy(format).map((sent) => Object.keys(sent).sort()),
    );
    expect(told[2]?.["retry-after"]).toBe("60");
    limiter.close();
  });

  it("names the only policy like the limiter, unless it has a name", () => {
    const policyOf = (name: string | undefined): string | undefined => {
      const policy = fixedWindow({ limit: 5, windowMs: MINUTE, name });
      const limiter = createLimiter({ name: "api", policy });
      const fields = new Map(fieldsOf(limiter.check("ada"), limiter, "draft-11"));
      limiter.close();
      return fields.get("RateLimit-Policy");
    };
    expect([policyOf(undefined), policyOf("burst")]).toEqual([
      '"api";q=5;w=60',
      '"burst";q=5;w=60',
    ]);
  });

  it("sends a wait of at least a second, also for a concurrency limit", () => {
    const limiter = createLimiter({ name: "api", policy: concurrency({ limit: 1 }) });
    limiter.check("ada");
    const fields = new Map(fieldsOf(limiter.check("ada"), limiter, "draft-8"));
    expect(fields.get("Retry-After")).toBe("1");
    expect(fields.get("RateLimit")).toBe('"api";r=0');
    limiter.close();
  });
});
