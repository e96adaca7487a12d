/**
 * What first attempts get wrong, and the sentence that each of them gets.
 */

import { TidegateError } from "@tidegate/core";
import type { TidegateWarning } from "@tidegate/core/http";
import express from "express";
import { describe, expect, it } from "vitest";
import { type Options, type RateLimitOptions, rateLimit } from "../src/index.ts";
import { ask } from "./differential/both.ts";

const GET = {
  ...({ method: "GET", status: 200, user: "ada", from: "192.0.2.1" } as const),
  ...{ isSkipped: false, isPreflight: false, afterMs: 0, stored: [1, null] as const },
};

function listener(): { said: TidegateWarning[]; logger: Options["logger"] } {
  const said: TidegateWarning[] = [];
  const hear = (warning: unknown) => void said.push(warning as TidegateWarning);
  return { said, logger: { error: hear, warn: hear } };
}

describe("a mistake that throws", () => {
  it.each([
    [null, /^rateLimit takes an options object, got null: leave it out/],
    [100, /^rateLimit takes an options object, got 100: write rateLimit\(\{ limit: 100 \}\)/],
    ["100", /^rateLimit takes an options object, got "100": write rateLimit\(\{ limit: 100 \}\)/],
    ["api", /^rateLimit takes an options object, got "api": leave it out/],
    [[{ limit: 5 }], /^rateLimit takes an options object, got an array/],
    [() => 5, /^rateLimit takes an options object, got a function/],
    [{ onPartition: "closed" }, /^'onPartition' needs a 'cluster'/],
    [
      { policies: [{ limit: 5, windowMs: 60_000 }] },
      /^'policies\[0\]' must be made by fixedWindow/,
    ],
    [{ policies: { limit: 5 } }, /^'policies' must be an array/],
    [{ policies: [] }, /^'policies' must be an array of 1 to 16 policies, got an array of 0/],
    [{ allow: ["10.0.0.0/33"] }, /^'allow\[0\]' must be .* from 0 to 32 .*"10.0.0.0\/33"/],
    [{ block: ["a", "2001:db8::/129"] }, /^'block\[1\]' must be .* from 0 to 128 /],
    [{ block: ["10.0.0.0/08"] }, /^'block\[0\]' must be /],
  ])("%o", (options, message) => {
    expect(() => rateLimit(options as never)).toThrow(TidegateError);
    expect(() => rateLimit(options as never)).toThrow(message);
  });

  it("app.use(rateLimit), for each request that comes", async () => {
    const app = express()
      .set("env", "test")
      .use(rateLimit as never);
    const { status, text } = await ask(app, GET);
    expect(status).toBe(500);
    expect(text).toMatch(
      /rateLimit returns a middleware and is not one: write app\.use\(rateLimit\(\)\)/,
    );
  });

  it("is none where a key looks like an address and more", () => {
    expect(() => rateLimit({ allow: ["10.0.0.1/login", "tenant/33"] })).not.toThrow();
  });
});

describe("a mistake that is warned about", () => {
  it.each([
    [{ windowMs: 60 }, "TIDEGATE_WINDOW_SHORT", /^The window is 60 ms.*60_000.*milliseconds/],
    [{ windowMs: 900 }, "TIDEGATE_WINDOW_SHORT", /^The window is 900 ms.*900_000/],
    [{ windowMs: 3_600 }, "TIDEGATE_WINDOW_SHORT", /^The window is 3600 ms.*3_600_000/],
    [{ windowMs: 86_400 }, "TIDEGATE_WINDOW_SHORT", /^The window is 86400 ms.*86_400_000/],
    [
      { windowMS: 60_000 },
      "TIDEGATE_OPTION_UNREAD",
      /^Not an option: 'windowMS' \(did you mean 'windowMs'\?\)/,
    ],
    [
      { Limit: 5, nonsense: 1 },
      "TIDEGATE_OPTION_UNREAD",
      /^Not an option: 'Limit' \(did you mean.*, 'nonsense'/,
    ],
    [
      { policy: {} },
      "TIDEGATE_OPTION_UNREAD",
      /^Not an option: 'policy' \(did you mean 'policies'\?\)/,
    ],
    [
      { validate: { trustproxy: false, nonsense: true } },
      "TIDEGATE_SWITCH_UNREAD",
      /^'validate' has 'trustproxy' \(did you mean 'trustProxy'\?\), 'nonsense'/,
    ],
  ])("%o", (options, code, message) => {
    const { said, logger } = listener();
    rateLimit({ ...options, logger } as RateLimitOptions);
    expect(said.map(({ code }) => code)).toEqual([code]);
    expect(said[0]?.message).toMatch(message);
  });

  it("is none for windows of a second and more", () => {
    const { said, logger } = listener();
    for (const windowMs of [1_000, 1_500, 10_000, 3_600_000]) rateLimit({ windowMs, logger });
    expect(said).toEqual([]);
  });

  it("ends with a link to what there is to know about it, and leaves the code to its field", () => {
    const { said, logger } = listener();
    rateLimit({ limit: 0, logger });
    expect(said[0]?.message).toMatch(
      /See https:\/\/github.com\/tidegate\/tidegate\/blob\/main\/docs\/reference\/warnings.md#tidegate_limit_zero$/,
    );
  });

  it("is emitted once by all limiters that are made per request", async () => {
    const { said, logger } = listener();
    const app = express().set("env", "test");
    app.use((request, response, next) => void rateLimit({ logger })(request, response, next));
    app.use((_request, response) => void response.send("admitted"));
    for (let count = 0; count < 50; count++) await ask(app, GET);
    expect(said.map(({ code }) => code)).toEqual([
      "TIDEGATE_MADE_PER_REQUEST",
      "TIDEGATE_FORWARDED_FOR_UNTRUSTED",
    ]);
  });
});
