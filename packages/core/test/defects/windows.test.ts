/** What has gone wrong with windows elsewhere: see docs/internals/defects-of-others.md. */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fixedWindow } from "../../src/policies/fixed-window.ts";
import { slidingWindow } from "../../src/policies/sliding-window.ts";
import { hit, TappedCluster, type TappedMember, used } from "../cluster/tapped-cluster.ts";

const SECOND = 1_000;

let cluster: TappedCluster;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_073 });
  cluster = new TappedCluster();
});

afterEach(() => {
  vi.useRealTimers();
});

function pair(windowMs: number, limit = 1_000_000): [TappedMember, TappedMember] {
  const policy = fixedWindow({ limit, windowMs });
  const members: [TappedMember, TappedMember] = [
    cluster.add({}, { policy }),
    cluster.add({}, { policy }),
  ];
  vi.advanceTimersByTime(2_000);
  return members;
}

describe("a window", () => {
  it("takes nothing that others counted into the next one", () => {
    const [one, two] = pair(SECOND);
    hit(one, 3);
    hit(two, 7);
    vi.advanceTimersByTime(200);
    expect(used(one)).toBe(10);
    vi.advanceTimersByTime(SECOND);
    hit(one, 1);
    vi.advanceTimersByTime(200);
    expect([used(one), used(two)]).toEqual([1, 1]);
  });

  it("of a second drops none of the hits in it, wherever in a second it ends", () => {
    const [one, two] = pair(SECOND, 1_001);
    for (let hits = 1; hits <= 100; hits++) {
      hit(one, 10);
      if (hits < 100) vi.advanceTimersByTime(hits % 10 === 0 ? 10 : 9);
      // Ten times a millisecond later: 990 ms after the first, the last is still in the window.
    }
    expect(used(one)).toBe(1_000);
    vi.advanceTimersByTime(60);
    expect(used(two)).toBe(1_000);
  });

  it("is not ended by the frames of a replica whose window ends sooner", () => {
    const policy = fixedWindow({ limit: 1_000, windowMs: 10 * SECOND });
    const [one, two] = [cluster.add({}, { policy }), cluster.add({}, { policy })];
    vi.advanceTimersByTime(2_000);
    cluster.network.cut(one.transport, two.transport);
    cluster.network.cut(two.transport, one.transport);
    hit(two, 1);
    vi.advanceTimersByTime(9_950);
    hit(one, 100);
    cluster.network.heal();
    vi.advanceTimersByTime(1_500);
    expect(used(one)).toBe(100);
    expect(used(two)).toBe(100);
  });

  it("gets no hits of a window before it that arrive late, however long they took", () => {
    const [one, two] = pair(2 * SECOND);
    cluster.network.cut(one.transport, two.transport);
    hit(one, 50);
    vi.advanceTimersByTime(5 * SECOND);
    cluster.network.heal();
    hit(two, 2);
    vi.advanceTimersByTime(1_500);
    expect(used(two)).toBe(2);
  });

  it("ends at one time for all, which no request and no frame moves", () => {
    const [one, two] = pair(60 * SECOND);
    hit(one, 1);
    vi.advanceTimersByTime(50);
    const endMs = (member: TappedMember): number => Date.now() + member.limiter.peek("ada").resetMs;
    const end = endMs(one);
    for (let seconds = 0; seconds < 50; seconds++) {
      hit(seconds % 2 === 0 ? one : two, 1);
      vi.advanceTimersByTime(SECOND);
      expect(Math.abs(endMs(one) - end)).toBeLessThanOrEqual(1);
      expect(Math.abs(endMs(two) - end)).toBeLessThanOrEqual(5);
    }
  });

  it("allows a key again that was over its limit, when it has ended", () => {
    const [one, two] = pair(SECOND, 5);
    for (let windows = 0; windows < 5; windows++) {
      hit(one, 20);
      vi.advanceTimersByTime(100);
      expect(two.limiter.check("ada").allowed).toBe(false);
      vi.advanceTimersByTime(SECOND);
      expect(two.limiter.check("ada").allowed).toBe(true);
      vi.advanceTimersByTime(SECOND);
    }
  });

  it("counts what is left of a limit down and never up while it lasts, and never below nothing", () => {
    const [one, two] = pair(60 * SECOND, 100);
    const left = new Map<TappedMember, number>();
    for (let hits = 0; hits < 400; hits++) {
      const member = hits % 3 === 0 ? one : two;
      const { remaining } = member.limiter.check("ada");
      expect(remaining).toBeLessThanOrEqual(left.get(member) ?? 100);
      expect(remaining).toBeGreaterThanOrEqual(0);
      left.set(member, remaining);
      if (hits % 7 === 0) vi.advanceTimersByTime(20);
    }
    expect([...left.values()]).toEqual([0, 0]);
  });

  it("says 0 is left, and no more, if more than its limit was allowed", () => {
    const [one, two] = pair(60 * SECOND, 10);
    cluster.network.cut(one.transport, two.transport);
    cluster.network.cut(two.transport, one.transport);
    hit(one, 10);
    hit(two, 3);
    cluster.network.heal();
    vi.advanceTimersByTime(3_000);
    for (const { limiter } of [one, two]) {
      expect(limiter.peek("ada")).toMatchObject({ used: 13, remaining: 0, allowed: false });
    }
  });
});

describe("a clock that is off", () => {
  it("is reported, at the process that has it and at all others", () => {
    const said: string[] = [];
    const offMs = 5_000;
    const clock = { now: () => performance.now(), wall: () => Date.now() + offMs };
    const policy = slidingWindow({ limit: 100, windowMs: 12_000 });
    const members = [{}, {}, { clock }].map((options) => cluster.add(options, { policy }));
    vi.advanceTimersByTime(6_000);
    for (const member of members) said.push(member.cluster.status().lastTrouble ?? "");
    expect(said.filter((sentence) => /the clock of replica/.test(sentence))).toHaveLength(2);
    expect(said.filter((sentence) => /the clock of this process/.test(sentence))).toHaveLength(1);
    expect(Math.abs(members[2]!.cluster.status().clockOffsetMs)).toBeGreaterThan(4_000);
    for (const member of members) hit(member, 4);
    vi.advanceTimersByTime(500);
    expect(members.map((member) => used(member))).toEqual([12, 12, 12]);
  });
});
