import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  CHANNELS,
  createLimiter,
  type Decision,
  type DecisionEvent,
  fixedWindow,
  type Limiter,
  MINUTE,
  type PressureEvent,
  SECOND,
} from "../../src/index.ts";
import { manualClock } from "../../src/testing.ts";

const policy = fixedWindow({ limit: 2, windowMs: MINUTE });
const cleanups: (() => void)[] = [];

function api(): Limiter {
  const limiter = createLimiter({ name: "api", policy, clock: manualClock(1_000) });
  cleanups.push(() => limiter.close());
  return limiter;
}

function listen<Event>(channel: string): Event[] {
  const events: Event[] = [];
  const keep = (event: unknown): void => {
    events.push(event as Event);
  };
  subscribe(channel, keep);
  cleanups.push(() => unsubscribe(channel, keep));
  return events;
}

afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

describe("the channel of decisions", () => {
  it("carries every check and charge, with the very decision that the caller gets", () => {
    const limiter = api();
    const events = listen<DecisionEvent>(CHANNELS.decision);
    const decisions: Decision[] = [
      limiter.check("ada"),
      limiter.charge("ada", 5),
      limiter.check("ada"),
    ];
    expect(events.map(({ decision }) => decision)).toEqual(decisions);
    expect(events[1]).toMatchObject({ limiter: "api", key: "ada", cost: 5 });
    expect(events[2]!.decision).toBe(decisions[2]);
  });

  it("states for each whether the caller enforces it", () => {
    const limiter = api();
    const events = listen<DecisionEvent>(CHANNELS.decision);
    limiter.check("ada");
    limiter.check("ada", 1, { enforced: false });
    limiter.check("ada", 1, { enforced: true, limit: 1 });
    limiter.charge("ada", 1, { enforced: false });
    limiter.check("ada");
    expect(events.map(({ enforced }) => enforced)).toEqual([true, false, true, false, true]);
    expect(() => limiter.check("ada", 1, { enforced: "no" as never })).toThrow(
      /^'enforced' must be true or false, got "no"/,
    );
    expect(events).toHaveLength(5);
  });

  it("carries no peek, inspect, refund, reset or block", () => {
    const limiter = api();
    const decision = limiter.check("ada");
    const events = listen<DecisionEvent>(CHANNELS.decision);
    limiter.peek("ada");
    limiter.inspect("ada");
    limiter.refund("ada", 1, decision);
    limiter.reset("ada");
    limiter.block("ada", SECOND);
    limiter.unblock("ada");
    limiter.resetAll();
    expect(events).toEqual([]);
  });

  it("is silent without a subscriber", () => {
    const limiter = api();
    const events = listen<DecisionEvent>(CHANNELS.decision);
    limiter.check("ada");
    for (const cleanup of cleanups.splice(0)) cleanup();
    limiter.check("ada");
    limiter.close();
    expect(events).toHaveLength(1);
  });

  it("has a name that is the same in every release", () => {
    expect(CHANNELS).toEqual({
      decision: "tidegate:decision",
      pressure: "tidegate:pressure",
      cluster: "tidegate:cluster",
    });
  });
});

describe("the channel of pressure", () => {
  it("reports at most once a second that keys which still count were evicted", () => {
    vi.useFakeTimers();
    cleanups.push(() => vi.useRealTimers());
    const limiter = createLimiter({ name: "api", policy, maxKeys: 10 });
    cleanups.push(() => limiter.close());
    const events = listen<PressureEvent>(CHANNELS.pressure);
    for (let key = 0; key < 25; key++) limiter.check(`key ${key}`);
    expect(events).toEqual([]);
    vi.advanceTimersByTime(SECOND);
    const expected = {
      limiter: "api",
      keys: 10,
      maxKeys: 10,
      evictedLive: 15,
      evictedRefused: 0,
      evictedNotes: 0,
      uncounted: 0,
    };
    expect(events).toEqual([expected]);
    vi.advanceTimersByTime(10 * SECOND);
    expect(events).toHaveLength(1);
    for (let tick = 0; tick < 100; tick++) {
      limiter.check(`one more ${tick}`);
      vi.advanceTimersByTime(SECOND / 10);
    }
    expect(events.length).toBeGreaterThan(6);
    expect(events.length).toBeLessThanOrEqual(11);
  });

  it("is silent about keys in which nothing counted any more", () => {
    vi.useFakeTimers();
    cleanups.push(() => vi.useRealTimers());
    const limiter = createLimiter({ name: "api", policy, maxKeys: 10 });
    cleanups.push(() => limiter.close());
    const events = listen<PressureEvent>(CHANNELS.pressure);
    for (let round = 0; round < 5; round++) {
      for (let key = 0; key < 10; key++) limiter.check(`key ${round} ${key}`);
      vi.advanceTimersByTime(2 * MINUTE);
    }
    expect(events).toEqual([]);
  });
});
