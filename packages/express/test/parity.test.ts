/**
 * What users of express-rate-limit rely on beyond its documented options: through both packages, with the
 * same answers.
 */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type RateLimitOptions, rateLimit } from "../src/index.ts";
import { BOTH, expectSame, play, type Scene } from "./differential/side-by-side.ts";

beforeEach(() => {
  vi.useFakeTimers({
    now: 1_800_000_000_000,
    toFake: ["Date", "performance", "hrtime", "setInterval", "clearInterval"],
  });
});
afterEach(() => {
  vi.useRealTimers();
});

const thrice = [{}, {}, {}];

describe("options with two names", () => {
  it.each([
    [{ limit: 1, max: 9 }, 1],
    [{ limit: 9, max: 1 }, 3],
    [{ limit: undefined, max: 1 }, 1],
    [{ limit: 1, legacyHeaders: true, headers: false }, 1],
    [{ limit: 1, legacyHeaders: false, headers: true, standardHeaders: true }, 1],
  ])("take the newer one where both are given: %o", async (options, passed) => {
    const told = await expectSame({ options: options as RateLimitOptions, requests: thrice });
    expect(told.answers.filter(({ status }) => status === 200)).toHaveLength(passed);
  });
});

describe("options that are true or false", () => {
  const values = [0, 1, "", "no", Number.NaN, {}];
  it.each(values.flatMap((value) => [{ legacyHeaders: value }, { headers: value }]))(
    "show headers by whether they are truthy: %o",
    async (options) => {
      const all = { limit: 1, standardHeaders: true, ...options } as RateLimitOptions;
      await expectSame({ options: all, requests: thrice });
    },
  );

  it.each(
    values.flatMap((value) => [{ skipFailedRequests: value }, { skipSuccessfulRequests: value }]),
  )("give hits back by whether they are truthy: %o", async (options) => {
    const mixed = [{}, { status: 500 }, {}, { status: 404 }, {}];
    await expectSame({ options: { limit: 2, ...options } as RateLimitOptions, requests: mixed });
  });

  it.each(values)("pass on a store's error by whether that is truthy: %o", async (value) => {
    const store = {
      increment: () => Promise.reject(new Error("no")),
      decrement: () => {},
      resetKey: () => {},
    };
    const quiet = { logger: { error: () => {}, warn: () => {} } };
    const options = { ...quiet, store, passOnStoreError: value, limit: 1 };
    const outcomes = await play({ options: options as never, requests: [{}] });
    const [theirs, ours] = outcomes.map(({ answers }) => answers[0]?.status);
    expect(ours).toBe(theirs);
  });

  it("leave standard fields out where they are falsy", async () => {
    for (const standardHeaders of [0, "", false]) {
      await expectSame({ options: { limit: 1, standardHeaders } as never, requests: thrice });
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
      BOTH.map(async ({ rateLimit }) => {
        const told: Record<string, unknown> = {};
        const response = {
          setHeader: (name: string, value: string) => Object.assign(told, { [name]: value }),
          status: (status: number) => Object.assign(told, { status }) && response,
          send: (body: unknown) => Object.assign(told, { body }),
        };
        const limiter = rateLimit({ ...options, validate: false, skip: () => false });
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

  it("by a class of the user's is called as a store", async () => {
    const told = await expectSame({
      options: ({ MemoryStore: Store }) => {
        class Twice extends Store {
          override async increment(key: string) {
            const { totalHits, resetTime } = await super.increment(key);
            return { totalHits: twice(totalHits), resetTime };
          }
        }
        return { limit: 4, store: new Twice() };
      },
      requests: [{}, {}, {}, {}],
    });
    expect(told.answers.map(({ status }) => status)).toEqual([200, 200, 429, 429]);
  });

  it.each(["before the limiter is made", "after it"])(
    "by itself %s is asked as the store that it is",
    async (when) => {
      const told = await expectSame({
        options: ({ MemoryStore: Store }) => {
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
        requests: [{}, {}, {}, {}],
      });
      expect(told.answers.map(({ status }) => status)).toEqual([200, 200, 429, 429]);
    },
  );

  it("receives refunds", async () => {
    const { notes } = await expectSame({
      options: ({ MemoryStore: Store }, note) => {
        const store = new Store();
        const decrement = store.decrement.bind(store);
        store.decrement = async (key) => {
          note(key);
          await decrement(key);
        };
        return { limit: 1, store, skipFailedRequests: true };
      },
      requests: [{ status: 500 }, { status: 500 }, {}, {}],
    });
    // The refusal of the last one is a failure, too.
    expect(notes).toEqual(new Array(3).fill("192.0.2.1"));
  });

  it("in its prototype is called as a store", async () => {
    const failing = BOTH.map(({ MemoryStore: Store }) =>
      vi.spyOn(Store.prototype, "increment").mockRejectedValue(new Error("down")),
    );
    const scene: Scene = {
      options: ({ MemoryStore: Store }) => ({ limit: 1, store: new Store() }),
      requests: [{}, {}],
    };
    await expectSame(scene);
    for (const spy of failing) expect(spy).toHaveBeenCalledTimes(2);
    for (const spy of failing) spy.mockRestore();
    await expectSame(scene);
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
      await play({
        options: (each) => ({ ...options, store: store(), logger: loggers[BOTH.indexOf(each)]! }),
        requests: thrice,
      });
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
    const middleware = rateLimit({
      ...{ store, logger, passOnStoreError: true, validate: { storeFailed: false } },
    });
    await middleware({ ip: "192.0.2.1" } as never, { setHeader: () => {} } as never, () => {});
    expect(report).not.toHaveBeenCalled();
  });
});
