/**
 * What users of express-rate-limit rely on, an option or a behaviour at a time: through both packages,
 * with the same answers.
 *
 * The generated scenarios of differential.test.ts vary options together; here is what they leave out.
 */

import express, { type Express, type RequestHandler } from "express";
import { MemoryStore as TheirMemoryStore, rateLimit as theirs } from "express-rate-limit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MemoryStore, rateLimit as ours, type RateLimitOptions } from "../src/index.ts";
import type { Answer } from "./app.ts";
import { ask } from "./differential/both.ts";
import { differencesOf, ROWS } from "./differential/differences.ts";
import type { ScenarioRequest } from "./differential/scenario.ts";

interface Package {
  readonly make: (options: RateLimitOptions) => RequestHandler;
  readonly Store: typeof MemoryStore;
}

const BOTH = [
  { make: theirs, Store: TheirMemoryStore },
  { make: ours, Store: MemoryStore },
] as unknown as readonly [Package, Package];

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
  options: RateLimitOptions | ((each: Package) => RateLimitOptions),
  requests: readonly Partial<ScenarioRequest>[],
  around: (app: Express, limiter: RequestHandler) => void = (app, limiter) => app.use(limiter),
): Promise<{ theirs: Answer[]; ours: Answer[] }> {
  const told = BOTH.map(async (each): Promise<Answer[]> => {
    const app = express().set("env", "test").set("trust proxy", "loopback");
    const given = typeof options === "function" ? options(each) : options;
    around(app, each.make({ validate: false, ...given }));
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
      BOTH.map(async ({ make }) => {
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

describe("a MemoryStore that was changed", () => {
  const twice = (totalHits: number): number => 2 * totalHits;

  it("by a class of the user's is asked as the store that it is", async () => {
    const told = await expectSame(
      ({ Store }) => {
        class Twice extends Store {
          override async increment(key: string) {
            const { totalHits, resetTime } = await super.increment(key);
            return { totalHits: twice(totalHits), resetTime };
          }
        }
        return { limit: 4, store: new Twice() };
      },
      [{}, {}, {}, {}],
    );
    expect(told.map(({ status }) => status)).toEqual([200, 200, 429, 429]);
  });

  it.each(["before the limiter is made", "after it"])(
    "by itself %s is asked as the store that it is",
    async (when) => {
      const told = await expectSame(
        ({ Store }) => {
          const store = new Store();
          const change = (): void => {
            const increment = store.increment.bind(store);
            store.increment = async (key) => {
              const { totalHits, resetTime } = await increment(key);
              return { totalHits: twice(totalHits), resetTime };
            };
          };
          let isChanged = when !== "after it";
          if (isChanged) change();
          const skip = (): boolean => {
            if (!isChanged) change();
            isChanged = true;
            return false;
          };
          return { limit: 4, store, skip };
        },
        [{}, {}, {}, {}],
      );
      expect(told.map(({ status }) => status)).toEqual([200, 200, 429, 429]);
    },
  );

  it("is told of hits that are taken back", async () => {
    const taken: string[] = [];
    await expectSame(
      ({ Store }) => {
        const store = new Store();
        const decrement = store.decrement.bind(store);
        store.decrement = async (key) => {
          taken.push(key);
          await decrement(key);
        };
        return { limit: 1, store, skipFailedRequests: true };
      },
      [{ status: 500 }, { status: 500 }, {}, {}],
    );
    // The refusal of the last one is a failure, too.
    expect(taken).toEqual(new Array(6).fill("192.0.2.1"));
  });

  it("in its prototype is asked as the store that it is", async () => {
    const failing = BOTH.map(({ Store }) =>
      vi.spyOn(Store.prototype, "increment").mockRejectedValue(new Error("down")),
    );
    await expectSame(({ Store }) => ({ limit: 1, store: new Store() }), [{}, {}]);
    for (const spy of failing) expect(spy).toHaveBeenCalledTimes(2);
    for (const spy of failing) spy.mockRestore();
    await expectSame(({ Store }) => ({ limit: 1, store: new Store() }), [{}, {}]);
  });
});

describe("failures of a store", () => {
  const fail = (): Promise<never> => Promise.reject(new Error("down"));
  const counted = async () => ({ totalHits: 1, resetTime: new Date(Date.now() + 60_000) });

  it.each([
    ["counts", { increment: fail, decrement: () => {} }],
    ["gives back", { increment: counted, decrement: fail }],
    ["begins", { increment: counted, decrement: () => {}, init: fail }],
  ])("are reported each time, whatever validate says, when it %s", async (_when, parts) => {
    for (const validate of [false, true]) {
      const reports = BOTH.map(() => vi.fn());
      const loggers = reports.map((report) => ({ error: report, warn: report }));
      const options = { validate, passOnStoreError: true, skipSuccessfulRequests: true };
      const store = () => ({ ...parts, resetKey: () => {} });
      await answers(
        (each) => ({ ...options, store: store(), logger: loggers[BOTH.indexOf(each)]! }),
        thrice,
      );
      const [their, our] = reports.map(({ mock }) =>
        mock.calls.filter(([error]) => /down/.test(`${error} ${(error as Error).cause}`)),
      );
      expect(their?.length).toBeGreaterThan(0);
      expect(our).toHaveLength(their?.length ?? 0);
    }
  });

  it("are no longer reported once that is switched off by name", async () => {
    const report = vi.fn();
    const store = { increment: fail, decrement: () => {}, resetKey: () => {} };
    const logger = { error: report, warn: report };
    const middleware = ours({
      ...{ store, logger, passOnStoreError: true, validate: { storeFailed: false } },
    });
    await middleware({ ip: "192.0.2.1" } as never, { setHeader: () => {} } as never, () => {});
    expect(report).not.toHaveBeenCalled();
  });
});
