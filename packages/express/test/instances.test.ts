/**
 * What middleware and stores of express-rate-limit can do beside limiting, and what becomes of errors:
 * through both packages, with the same results.
 */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RateLimitOptions } from "../src/index.ts";
import { BOTH, expectSame, type Package, play } from "./differential/side-by-side.ts";

beforeEach(() => {
  vi.useFakeTimers({
    now: 1_800_000_000_000,
    toFake: ["Date", "performance", "hrtime", "setInterval", "clearInterval"],
  });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("errors", () => {
  const throws = (): never => {
    throw new Error("no");
  };
  const names = ["skip", "keyGenerator", "limit", "message", "handler", "retryAfter"];
  const ways = [throws, async () => throws()];
  it.each(names.flatMap((name) => ways.map((fail) => ({ name, fail }))))(
    "of functions reach the application: %o",
    async ({ name, fail }) => {
      const options = { limit: 0, [name]: fail } as RateLimitOptions;
      const outcomes = await play({ options, requests: [{}, {}] });
      const [theirs, ours] = outcomes.map(({ answers }) => answers.map(({ status }) => status));
      // Express sends an error with the status that has been set before.
      const status = name === "message" ? 429 : 500;
      expect(theirs).toEqual([status, status]);
      expect(ours).toEqual(theirs);
    },
  );

  it.each([{}, { increment: () => {} }, { increment: () => {}, decrement: () => {} }])(
    "are thrown for what is no store: %o",
    (store) => {
      for (const { rateLimit } of BOTH) {
        expect(() => rateLimit({ store: store as never, validate: false })).toThrow(TypeError);
      }
    },
  );
});

/** A response as far as a request that passes needs one. */
const RESPONSE = { setHeader: () => {} } as never;

describe("a middleware", () => {
  it("reads and resets keys", async () => {
    const steps = async ({ rateLimit }: Package): Promise<unknown[]> => {
      const seen: unknown[] = [];
      const limiter = rateLimit({ limit: 2, validate: false, keyGenerator: () => "ada" });
      const note = async (): Promise<void> => {
        const told = await limiter.getKey("ada");
        seen.push(told && { ...told });
      };
      await note();
      for (const _hit of [1, 2]) {
        await limiter({ ip: "" } as never, RESPONSE, () => {});
        await note();
      }
      await limiter.resetKey("ada");
      await note();
      return seen;
    };
    const [theirs, ours] = await Promise.all(BOTH.map(steps));
    expect(theirs?.[2]).toMatchObject({ totalHits: 2 });
    expect(ours).toEqual(theirs);
  });

  it("throws where its store cannot read keys", () => {
    const increment = async () => ({ totalHits: 1, resetTime: undefined });
    const store = { increment, decrement: () => {}, resetKey: () => {} };
    const [theirs, ours] = BOTH.map(({ rateLimit }) => {
      const limiter = rateLimit({ store, validate: false });
      try {
        return limiter.getKey("ada");
      } catch (error) {
        return String(error);
      }
    });
    expect(ours).toBe(theirs);
  });

  it("counts the routes together that it stands before", async () => {
    await expectSame({
      ...{ options: { limit: 3 }, requests: [{}, {}] },
      around: (app, limiter) => app.use("/", limiter).use("/", limiter),
    });
  });

  it("has the former name of the hits, hidden when printed", async () => {
    const told = async ({ rateLimit }: Package): Promise<unknown> => {
      const request = { ip: "192.0.2.1" };
      const limiter = rateLimit({ validate: false, requestPropertyName: "info" });
      await limiter(request as never, RESPONSE, () => {});
      const info: object = Reflect.get(request, "info");
      return [Reflect.get(info, "current"), Object.keys(info).sort()];
    };
    const [theirs, ours] = await Promise.all(BOTH.map(told));
    expect(ours).toEqual(theirs);
  });
});

describe("a MemoryStore", () => {
  it("counts, refunds, reads and resets by itself", async () => {
    const steps = async ({ MemoryStore }: Package): Promise<unknown[]> => {
      const store = new MemoryStore();
      store.init({ windowMs: 1_000 } as never);
      const seen: unknown[] = [store.localKeys];
      const note = async (told: Promise<object | undefined>): Promise<void> => {
        const known = await told;
        seen.push(known && { ...known });
      };
      await note(store.increment("ada"));
      await note(store.increment("ada"));
      await note(store.increment("eve"));
      await store.decrement("ada");
      await note(store.get("ada"));
      await store.resetKey("ada");
      await note(store.get("ada"));
      await note(store.get("eve"));
      vi.advanceTimersByTime(999);
      await note(store.get("eve"));
      vi.advanceTimersByTime(1);
      await note(store.get("eve"));
      await note(store.increment("eve"));
      await store.resetAll();
      await note(store.get("eve"));
      store.shutdown();
      return seen;
    };
    const start = Date.now();
    const theirs = await steps(BOTH[0]);
    vi.setSystemTime(start);
    expect(await steps(BOTH[1])).toEqual(theirs);
  });
});

describe("ipKeyGenerator", () => {
  it.each(["192.0.2.1", "::1", "2001:db8::1", "2001:DB8:0:1::1", "::ffff:192.0.2.1", "unknown"])(
    "makes the same key of %s",
    (address) => {
      for (const subnet of [undefined, 32, 48, 56, 60, 64, false as const]) {
        const [theirs, ours] = BOTH.map(({ ipKeyGenerator }) => ipKeyGenerator(address, subnet));
        // One address has one key here, however it is written.
        const isAsWritten = subnet === false && address !== address.toLowerCase();
        expect(ours, String(subnet)).toBe(isAsWritten ? "2001:db8:0:1::1" : theirs);
      }
    },
  );
});
