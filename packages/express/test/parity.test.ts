/**
 * What users of express-rate-limit rely on, an option or a behaviour at a time: through both packages,
 * with the same answers.
 *
 * The generated scenarios of differential.test.ts vary options together; here is what they leave out.
 */

import express, { type Express, type RequestHandler } from "express";
import { rateLimit as theirs } from "express-rate-limit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { rateLimit as ours, type RateLimitOptions } from "../src/index.ts";
import type { Answer } from "./app.ts";
import { ask } from "./differential/both.ts";
import { differencesOf, ROWS } from "./differential/differences.ts";
import type { ScenarioRequest } from "./differential/scenario.ts";

type Make = (options: RateLimitOptions) => RequestHandler;

const BOTH: readonly Make[] = [theirs as unknown as Make, ours];

const REQUEST: ScenarioRequest = {
  ...{ method: "GET", status: 200, user: "ada", from: "192.0.2.1" },
  ...{ isSkipped: false, isPreflight: false, afterMs: 0, stored: [1, null] },
};

/** The rows that hold of every response. */
const EVERYWHERE = ["no-store", "partition-key", "date"];

beforeEach(() => {
  vi.useFakeTimers({
    now: 1_800_000_000_000,
    toFake: ["Date", "performance", "hrtime", "setInterval", "clearInterval"],
  });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The answers of both packages to some requests, the fields that differ everywhere left out. */
async function answers(
  options: RateLimitOptions | ((make: Make) => RateLimitOptions),
  requests: readonly Partial<ScenarioRequest>[],
  around: (app: Express, limiter: RequestHandler) => void = (app, limiter) => app.use(limiter),
): Promise<{ theirs: Answer[]; ours: Answer[] }> {
  const told = BOTH.map(async (make): Promise<Answer[]> => {
    const app = express().set("env", "test").set("trust proxy", "loopback");
    const given = typeof options === "function" ? options(make) : options;
    around(app, make({ validate: false, ...given }));
    app.use((request, response) => {
      response.status(Number(request.get("x-status")));
      response.json(Reflect.get(request, "rateLimit") ?? null);
    });
    const answers: Answer[] = [];
    for (const request of requests) answers.push(await ask(app, { ...REQUEST, ...request }));
    return answers;
  });
  const [their = [], our = []] = await Promise.all(told);
  return { theirs: their, ours: our };
}

/** Fails where an answer of one package is not as that of the other. */
async function expectSame(...given: Parameters<typeof answers>): Promise<Answer[]> {
  const { theirs, ours } = await answers(...given);
  const rows = ROWS.filter(({ id }) => EVERYWHERE.includes(id));
  const found = theirs.flatMap((their, at) => {
    const pair = { request: { ...REQUEST, ...given[1][at] }, theirs: their, ours: ours[at]! };
    const context = { ...pair, scenario: {} as never };
    return differencesOf(pair).filter(
      (difference) => !rows.some((row) => row.explains(difference, context)),
    );
  });
  expect(found).toEqual([]);
  return ours;
}

const thrice = [{}, {}, {}];

describe("options with two names", () => {
  it.each([
    [{ limit: 1, max: 9 }, 1],
    [{ limit: 9, max: 1 }, 3],
    [{ limit: undefined, max: 1 }, 1],
    [{ limit: 1, legacyHeaders: true, headers: false }, 1],
    [{ limit: 1, legacyHeaders: false, headers: true, standardHeaders: true }, 1],
  ])("take the newer one where both are given: %o", async (options, passed) => {
    const told = await expectSame(options as RateLimitOptions, thrice);
    expect(told.filter(({ status }) => status === 200)).toHaveLength(passed);
  });
});

describe("options that are true or false", () => {
  const values = [0, 1, "", "no", Number.NaN, {}];
  it.each(values.flatMap((value) => [{ legacyHeaders: value }, { headers: value }]))(
    "show headers by whether they are truthy: %o",
    async (options) => {
      await expectSame({ limit: 1, standardHeaders: true, ...options } as never, thrice);
    },
  );

  it.each(
    values.flatMap((value) => [{ skipFailedRequests: value }, { skipSuccessfulRequests: value }]),
  )("give hits back by whether they are truthy: %o", async (options) => {
    const mixed = [{}, { status: 500 }, {}, { status: 404 }, {}];
    await expectSame({ limit: 2, ...options } as never, mixed);
  });

  it.each(values)("pass on a store's error by whether that is truthy: %o", async (value) => {
    const store = {
      increment: () => Promise.reject(new Error("no")),
      decrement: () => {},
      resetKey: () => {},
    };
    const quiet = { logger: { error: () => {}, warn: () => {} } };
    const options = { ...quiet, store, passOnStoreError: value, limit: 1 };
    const { theirs, ours } = await answers(options as never, [{}]);
    expect(ours.map(({ status }) => status)).toEqual(theirs.map(({ status }) => status));
  });

  it("leave standard fields out where they are falsy", async () => {
    for (const standardHeaders of [0, "", false]) {
      await expectSame({ limit: 1, standardHeaders } as never, thrice);
    }
  });
});

describe("requests and responses that a test has made by hand", () => {
  it.each([
    { limit: 0 },
    { limit: 0, legacyHeaders: false },
    { limit: 0, standardHeaders: "draft-6" },
    { limit: 0, standardHeaders: "draft-7" },
  ] as const)("need no more than express-rate-limit uses: %o", async (options) => {
    const [their, our] = await Promise.all(
      BOTH.map(async (make) => {
        const told: Record<string, unknown> = {};
        const response = {
          setHeader: (name: string, value: string) => Object.assign(told, { [name]: value }),
          status: (status: number) => Object.assign(told, { status }) && response,
          send: (body: unknown) => Object.assign(told, { body }),
        };
        const limiter = make({ ...options, validate: false, skip: () => false });
        const next = vi.fn();
        await limiter({ ip: "192.0.2.1" } as never, response as never, next);
        expect(next.mock.calls).toEqual([]);
        return told;
      }),
    );
    const { Date: _date, ...same } = their ?? {};
    expect(Object.keys(same).length).toBeGreaterThan(1);
    expect(our).toMatchObject(same);
  });
});
