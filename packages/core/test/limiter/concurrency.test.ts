import { describe, expect, it } from "vitest";
import { concurrency, createLimiter, HOUR, type Limiter } from "../../src/index.ts";
import { type ManualClock, manualClock } from "../../src/testing.ts";

function gate(limit: number): { limiter: Limiter; clock: ManualClock } {
  const clock = manualClock(1_000_000);
  return {
    limiter: createLimiter({ name: "in flight", policy: concurrency({ limit }), clock }),
    clock,
  };
}

describe("concurrency", () => {
  it("allows as many as the limit, and one more for each release", () => {
    const { limiter } = gate(2);
    const passed = [1, 2, 3].map(() => limiter.check("export").allowed);
    expect(passed).toEqual([true, true, false]);
    limiter.release("export");
    expect(limiter.check("export").allowed).toBe(true);
  });

  it("releases nothing over time, so a refusal has no retry time", () => {
    const { limiter, clock } = gate(1);
    expect(limiter.check("export").resetMs).toBe(Number.POSITIVE_INFINITY);
    clock.advance(1_000 * HOUR);
    expect(limiter.check("export")).toMatchObject({
      allowed: false,
      used: 1,
      retryAfterMs: Number.POSITIVE_INFINITY,
      resetMs: Number.POSITIVE_INFINITY,
    });
  });

  it("holds a cost, and releases the given amount", () => {
    const { limiter } = gate(10);
    limiter.check("export", 7);
    limiter.release("export", 4);
    expect(limiter.peek("export")).toMatchObject({ used: 3, remaining: 7 });
  });

  it("never goes below zero, whatever is released", () => {
    const { limiter } = gate(2);
    limiter.release("export");
    limiter.check("export");
    limiter.release("export", 5);
    expect(limiter.peek("export")).toMatchObject({ used: 0, remaining: 2 });
  });

  it("holds a charge beyond the limit until all of it is released", () => {
    const { limiter } = gate(2);
    limiter.charge("export", 3);
    limiter.release("export");
    expect(limiter.check("export").allowed).toBe(false);
    limiter.release("export");
    expect(limiter.check("export").allowed).toBe(true);
  });

  it("keeps permits when the limit of a call shrinks", () => {
    const { limiter } = gate(5);
    limiter.check("export", 4);
    expect(limiter.check("export", 1, { limit: 2 })).toMatchObject({ allowed: false, used: 4 });
    expect(limiter.check("export").allowed).toBe(true);
  });

  it("forgets released permits at once in a limiter that is not replicated", () => {
    const limiter = createLimiter({ name: "c", policy: concurrency({ limit: 2 }) });
    for (const key of ["a", "b", "c", "d"]) {
      limiter.check(key);
      limiter.release(key);
    }
    expect(limiter.status().keys).toBeLessThan(3);
    limiter.close();
  });
});
