/**
 * What middleware of others gets wrong and what belongs to no single framework: see
 * docs/reference/defects-of-middleware.md. Further ones are shown where their subject is tested.
 */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fixedWindow, joinCluster, MINUTE, SECOND, slidingLog } from "../../../src/index.ts";
import { manualClock, memoryNetwork } from "../../../src/testing.ts";
import { FakeRequest, FakeResponse, Stand } from "../exchange.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  Stand.closeAll();
  vi.useRealTimers();
});

describe("middleware", () => {
  it("can hold a limit in any span of a window, across its edges (W2)", () => {
    const admitted = (options: object): number => {
      const clock = manualClock();
      const stand = new Stand({ clock, ...options });
      stand.passes(1);
      clock.advance(990);
      let passed = stand.passes(9);
      clock.advance(20);
      passed += stand.passes(9);
      return passed;
    };
    expect(admitted({ policies: [slidingLog({ limit: 5, windowMs: SECOND })] })).toBe(5);
    expect(admitted({ limit: 5, windowMs: SECOND })).toBe(9);
  });

  it("keeps the budgets of different limiters apart, whatever they are called (W6)", () => {
    const [two, five] = [
      new Stand({ limit: 2, name: "api" }),
      new Stand({ limit: 5, name: "api" }),
    ];
    expect([two.passes(9), five.passes(9)]).toEqual([2, 5]);
  });

  it("limits without a word about stores (W12)", () => {
    expect(new Stand().passes(9)).toBe(5);
    expect(new Stand({}).passes(9)).toBe(5);
  });

  it("never waits for ever: a refused client is allowed after the wait that it received (W13)", () => {
    const clock = manualClock();
    const stand = new Stand({ limit: 1, clock });
    stand.passes(5);
    for (let round = 0; round < 3; round++) {
      const { outcome } = stand.enter();
      expect(outcome?.retryAfterSeconds).toBeGreaterThan(0);
      clock.advance((outcome?.retryAfterSeconds ?? 0) * SECOND);
      expect(stand.passes(1)).toBe(1);
    }
  });

  it("drops keys that have expired without a request for them (W14)", () => {
    const stand = new Stand({ windowMs: SECOND });
    for (let key = 0; key < 1_000; key++) stand.gate.limiter?.check(`key-${key}`);
    expect(stand.gate.limiter?.status().keys).toBe(1_000);
    vi.advanceTimersByTime(10 * MINUTE);
    expect(stand.gate.limiter?.status().keys).toBe(0);
  });

  it("starts one timer for any number of keys (W19)", () => {
    const before = vi.getTimerCount();
    const stand = new Stand();
    for (let key = 0; key < 200_000; key++) stand.gate.limiter?.check(`key-${key}`);
    expect(vi.getTimerCount() - before).toBe(1);
  });

  it.each([1, 250, 2 ** 31, 2 ** 40])(
    "has windows of %i ms that end when they end (W20)",
    (windowMs) => {
      const clock = manualClock();
      const stand = new Stand({ limit: 1, windowMs, clock });
      expect(stand.passes(2)).toBe(1);
      clock.advance(windowMs - 1);
      if (windowMs > 1) expect(stand.passes(1)).toBe(0);
      clock.advance(1);
      expect(stand.passes(1)).toBe(1);
    },
  );

  it("refunds nothing for a request that ends after its window (W22)", () => {
    const clock = manualClock();
    const stand = new Stand({ limit: 2, clock, skipFailedRequests: true });
    const slow = stand.enter();
    clock.advance(MINUTE);
    stand.enter();
    slow.response.finish(500);
    expect(stand.gate.limiter?.inspect("192.0.2.1").results[0]?.used).toBe(1);
    expect(stand.gate.limiter?.peek("192.0.2.1").remaining).toBe(1);
  });

  it("reports an unseen key as unknown (W23)", () => {
    const { known, results } = new Stand().gate.limiter?.inspect("nobody") ?? {};
    expect([known, results?.[0]?.used, results?.[0]?.remaining]).toEqual([false, 0, 5]);
  });

  it("marks requests that it allows uncounted, and sends no full quota (W11)", () => {
    const stand = new Stand({}, { counter: { ...COUNTS_NOTHING } });
    const { outcome, response } = stand.enter();
    expect([outcome, [...response.headers]]).toEqual([null, []]);
  });

  it("sends a blocked client the time that it is blocked for (W30)", () => {
    const clock = manualClock();
    const stand = new Stand({ clock });
    stand.gate.limiter?.block("192.0.2.1", 90 * SECOND);
    expect(stand.enter().outcome).toMatchObject({ reason: "block", retryAfterSeconds: 90 });
    clock.advance(90 * SECOND);
    expect(stand.enter().outcome).toBeNull();
  });

  it("decides in the same tick in a cluster, whose network is dead (W33)", () => {
    const silent = memoryNetwork({ loss: 1 });
    const cluster = joinCluster({ transport: silent.transport() });
    const stand = new Stand({ cluster, name: "api", limit: 2 });
    expect(stand.passes(5)).toBe(2);
  });

  it("gains no quota from a clock that is ahead by more than a window (W17)", () => {
    const network = memoryNetwork();
    const stands = [0, 11 * SECOND].map((aheadMs) => {
      const clock = { now: () => performance.now() + aheadMs };
      const cluster = joinCluster({ transport: network.transport(), clock });
      return new Stand({ cluster, name: "api", limit: 4, windowMs: 10 * SECOND });
    });
    vi.advanceTimersByTime(4_000);
    const [first, second] = stands as [Stand, Stand];
    expect(first.passes(3)).toBe(3);
    vi.advanceTimersByTime(500);
    expect(second.passes(9)).toBe(1);
    vi.advanceTimersByTime(500);
    expect(first.passes(9)).toBe(0);
    const waits = stands.map((stand) => stand.enter().outcome?.retryAfterSeconds ?? 0);
    for (const seconds of waits) {
      expect(seconds).toBeGreaterThanOrEqual(8);
      expect(seconds).toBeLessThanOrEqual(10);
    }
  });

  it("asks of a dead store no more than that it does not answer (W29)", async () => {
    const stand = new Stand({}, { counter: { ...COUNTS_NOTHING, check: async () => null } });
    const outcome = await stand.gate.enter(new FakeRequest(), new FakeResponse());
    expect(outcome).toBeNull();
  });

  it("charges no policy for a request that another refuses, in the same limiter (W18)", () => {
    const stand = new Stand({
      policies: [
        fixedWindow({ name: "one", limit: 1, windowMs: MINUTE }),
        fixedWindow({ name: "many", limit: 100, windowMs: MINUTE }),
      ],
    });
    stand.passes(50);
    const used = stand.gate.limiter?.inspect("192.0.2.1").results.map((result) => result.used);
    expect(used).toEqual([1, 1]);
  });
});

/** What counts when nothing can be counted. */
const COUNTS_NOTHING = {
  check: () => null,
  peek: () => null,
  charge: () => {},
  refund: () => {},
  release: () => {},
};
