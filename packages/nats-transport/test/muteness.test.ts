import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Backoff } from "../src/backoff.ts";
import { Muteness } from "../src/muteness.ts";

let muteness: Muteness;

beforeEach(() => {
  vi.useFakeTimers();
  muteness = new Muteness(new Backoff(100, 1_000, () => 1));
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a refusal of published frames", () => {
  it("is new once, and lets no frame out until some time later", () => {
    expect([muteness.admits(), muteness.isRefused]).toEqual([true, false]);
    expect([muteness.refused(), muteness.refused()]).toEqual([true, false]);
    expect([muteness.isRefused, muteness.admits()]).toEqual([true, false]);
    vi.advanceTimersByTime(100);
    expect([muteness.admits(), muteness.admits()]).toEqual([true, false]);
  });

  it("is over when a frame was tried and not refused", () => {
    muteness.refused();
    vi.advanceTimersByTime(100);
    muteness.admits();
    let isOver = false;
    muteness.arrived(() => {
      isOver = true;
    });
    vi.advanceTimersByTime(0);
    expect([isOver, muteness.isRefused, muteness.admits()]).toEqual([true, false, true]);
  });

  it("goes on when the tried frame was refused too, with longer waits", () => {
    muteness.refused();
    vi.advanceTimersByTime(100);
    muteness.admits();
    muteness.arrived(() => expect.unreachable());
    muteness.refused();
    vi.advanceTimersByTime(199);
    expect(muteness.admits()).toBe(false);
    vi.advanceTimersByTime(2);
    expect(muteness.admits()).toBe(true);
  });

  it("is not over because the server has answered an earlier flush", () => {
    muteness.refused();
    muteness.arrived(() => expect.unreachable());
    vi.advanceTimersByTime(99);
    expect(muteness.isRefused).toBe(true);
  });

  it("may be over on another connection", () => {
    muteness.refused();
    muteness.forget();
    expect([muteness.isRefused, muteness.admits(), vi.getTimerCount()]).toEqual([false, true, 0]);
  });
});
