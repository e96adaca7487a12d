import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Backoff } from "../src/backoff.ts";
import { PublishRefusal } from "../src/publish-refusal.ts";

let refusal: PublishRefusal;

beforeEach(() => {
  vi.useFakeTimers();
  refusal = new PublishRefusal(new Backoff(100, 1_000, () => 1));
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a refusal of published frames", () => {
  it("is new once, and lets no frame out until some time later", () => {
    expect([refusal.admits(), refusal.isRefused]).toEqual([true, false]);
    expect([refusal.refused(), refusal.refused()]).toEqual([true, false]);
    expect([refusal.isRefused, refusal.admits()]).toEqual([true, false]);
    vi.advanceTimersByTime(100);
    expect([refusal.admits(), refusal.admits()]).toEqual([true, false]);
  });

  it("is over when a frame was tried and not refused", () => {
    refusal.refused();
    vi.advanceTimersByTime(100);
    refusal.admits();
    let isOver = false;
    refusal.arrived(() => {
      isOver = true;
    });
    vi.advanceTimersByTime(0);
    expect([isOver, refusal.isRefused, refusal.admits()]).toEqual([true, false, true]);
  });

  it("goes on when the tried frame was refused too, with longer waits", () => {
    refusal.refused();
    vi.advanceTimersByTime(100);
    refusal.admits();
    refusal.arrived(() => expect.unreachable());
    refusal.refused();
    vi.advanceTimersByTime(199);
    expect(refusal.admits()).toBe(false);
    vi.advanceTimersByTime(2);
    expect(refusal.admits()).toBe(true);
  });

  it("is not over because the server has answered an earlier flush", () => {
    refusal.refused();
    refusal.arrived(() => expect.unreachable());
    vi.advanceTimersByTime(99);
    expect(refusal.isRefused).toBe(true);
  });

  it("may be over on another connection", () => {
    refusal.refused();
    refusal.forget();
    expect([refusal.isRefused, refusal.admits(), vi.getTimerCount()]).toEqual([false, true, 0]);
  });
});
