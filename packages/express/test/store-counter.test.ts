import { Warnings } from "@tidegate/core/http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { StoreCounter } from "../src/parity/store-counter.ts";

let warned: string[];
beforeEach(() => {
  warned = [];
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function counterOf(increment: () => unknown, passesOnError = false): StoreCounter {
  const store = { increment: increment as never, decrement: () => {}, resetKey: () => {} };
  return new StoreCounter(store, {
    ...{ limit: 5, windowMs: 60_000, timeoutMs: 5_000, passesOnError },
    warnings: new Warnings(true, ({ code }) => warned.push(code)),
  });
}

const hits = (totalHits: unknown) => ({ totalHits, resetTime: new Date(Date.now() + 30_000) });

describe("hits of a store", () => {
  it.each([
    [3, 3, 2, true, []],
    ["3", 3, 2, true, ["TIDEGATE_STORE_HITS"]],
    ["6", 6, 0, false, ["TIDEGATE_STORE_HITS"]],
    [0.5, 1, 4, true, ["TIDEGATE_STORE_HITS"]],
    [5.5, 6, 0, false, ["TIDEGATE_STORE_HITS"]],
    [-5, 0, 5, true, ["TIDEGATE_STORE_HITS"]],
    [0, 0, 5, true, ["TIDEGATE_STORE_HITS"]],
    [Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER, 0, false, ["TIDEGATE_STORE_HITS"]],
  ])(
    "that are %j are %i, and leave %i of 5 (W21)",
    (totalHits, used, remaining, allowed, codes) => {
      const verdict = counterOf(() => hits(totalHits)).check("ada");
      expect(verdict).toMatchObject({ used, remaining, allowed });
      expect(warned).toEqual(codes);
    },
  );

  it.each([Number.NaN, undefined, null, "", "many", {}])("may not be %j (W24)", (totalHits) => {
    expect(() => counterOf(() => hits(totalHits)).check("ada")).toThrow(/number of hits/);
    expect(counterOf(() => hits(totalHits), true).check("ada")).toBeNull();
  });
});

describe("a limit", () => {
  it("for each call is a number: a store has one policy and no name for it", () => {
    for (const passesOnError of [false, true]) {
      const counter = counterOf(() => hits(1), passesOnError);
      expect(counter.check("ada", 1, { limit: 0 })).toMatchObject({ allowed: false, limit: 0 });
      expect(() => counter.check("ada", 1, { limit: { default: 5 } })).toThrow(
        /'limit' must be a number of at least 0/,
      );
    }
  });
});

describe("an answer that comes later", () => {
  it("may come from anything with a then, and leaves no timer behind", async () => {
    const thenable = {
      // biome-ignore lint/suspicious/noThenProperty: libraries of databases have such objects.
      then: (resolve: (answer: unknown) => void) => {
        setTimeout(() => resolve(hits(2)), 20);
      },
    };
    const pending = counterOf(() => thenable).check("ada");
    await vi.advanceTimersByTimeAsync(20);
    expect(await pending).toMatchObject({ allowed: true, used: 2 });
    expect(vi.getTimerCount()).toBe(0);
  });
});
