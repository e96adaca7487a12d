import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { tokenBucket } from "../../../src/policies/bucket.ts";
import { concurrency } from "../../../src/policies/concurrency.ts";
import { fixedWindow } from "../../../src/policies/fixed-window.ts";
import type { Policy } from "../../../src/policies/policy.ts";
import { slidingLog } from "../../../src/policies/sliding-log.ts";
import { slidingWindow } from "../../../src/policies/sliding-window.ts";
import { ReplicatedLimiter } from "../../../src/protocol/limiters/replicated-limiter.ts";
import { ReplicatedLimiters } from "../../../src/protocol/limiters/replicated-limiters.ts";
import { Scheduler } from "../../../src/protocol/scheduler.ts";
import { fleet, type Member } from "../../store/fleet.ts";

const window = fixedWindow({ limit: 10, windowMs: 60_000 });

// Slices are so long that all records are visited in one turn.
beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** A replica among others, and the reclaiming of another one's index. */
function sharing(
  others: number,
  policy: Policy = window,
): {
  member: Member;
  others: Member[];
  share: ReplicatedLimiter;
  isTakenBack: (opener: number, isTelling?: boolean) => boolean;
} {
  let share: ReplicatedLimiter | undefined;
  const [member, ...rest] = fleet(Array(1 + others).fill(0), [policy], {
    evicted: (component) => share!.keepEvicted(component),
  }) as [Member, ...Member[]];
  const { replicas, store } = member;
  const names = { name: "api", nameTag: { low: 1, high: 2 }, identity: { low: 3, high: 4 } };
  share = new ReplicatedLimiter({ ...names, store, kinds: ["fixedWindow"] });
  const replicatedLimiters = new ReplicatedLimiters(new Scheduler());
  replicatedLimiters.add(share, 1);
  const isTakenBack = (opener: number, isTelling = false): boolean => {
    const isMember = (id: string): boolean => rest.some((other) => other.id === id);
    Array.from(replicatedLimiters.reclaim(replicas, isMember, () => isTelling));
    return !replicas.isDropped(opener);
  };
  return { member, others: rest, share, isTakenBack };
}

/** A replica that may have counted for one key, in a window that a forgotten replica opened. */
function orphaned({ isCounted = true } = {}) {
  const { member, others, share, isTakenBack } = sharing(1);
  const { replicas } = member;
  const writer = others[0]!;
  writer.hit(1);
  member.joinAll(writer.sent());
  if (isCounted) member.hit(1);
  const opener = replicas.indexOf(writer.id);
  replicas.drop(opener);
  member.held(1);
  return {
    ...{ member, opener, takeGivenUp: () => share.takeEvicted() },
    isTakenBack: (isTelling?: boolean) => isTakenBack(opener, isTelling),
  };
}

const policies: [string, Policy][] = [
  ["windows", window],
  ["aligned windows", fixedWindow({ limit: 10, windowMs: 60_000, align: true })],
  ["slots", slidingWindow({ limit: 10, windowMs: 60_000 })],
  ["buckets", tokenBucket({ capacity: 10, refillPerSecond: 1 })],
  ["logs", slidingLog({ limit: 10, windowMs: 60_000 })],
  ["permits", concurrency({ limit: 10 })],
];

describe("the index of a forgotten replica", () => {
  it.each(policies)("is not reclaimed before its counts are freed: %s", (_, policy) => {
    const { member, others, isTakenBack } = sharing(1, policy);
    const writer = others[0]!;
    for (const each of [member, writer]) each.hit(1);
    member.joinAll(writer.sent());
    const index = member.replicas.indexOf(writer.id);
    member.replicas.drop(index);
    expect(isTakenBack(index)).toBe(false);
    member.held(1);
    expect(isTakenBack(index)).toBe(true);
  });

  it("is reclaimed when no record refers to it, and not before", () => {
    const { member, opener, isTakenBack } = orphaned();
    expect(isTakenBack()).toBe(false);
    member.at(member.store.now + 120_000).store.sweep(10);
    expect(isTakenBack()).toBe(true);
    expect(member.replicas.indexOf("another")).toBe(opener);
  });

  it("is not reclaimed while a record of a key is left that it introduced", () => {
    const { member, opener, isTakenBack } = orphaned({ isCounted: false });
    expect([member.store.size, member.held(1), isTakenBack()]).toEqual([1, 0, false]);
    member.store.sweep(10);
    expect([member.store.size, isTakenBack()]).toEqual([0, true]);
    expect(member.replicas.indexOf("another")).toBe(opener);
  });

  it("is not reclaimed while other replicas have counts in a window that it opened", () => {
    const { member, others, isTakenBack } = sharing(2);
    const [gone, writer] = others as [Member, Member];
    member.hit(1);
    gone.hit(1);
    writer.joinAll(gone.sent());
    writer.hit(1);
    member.joinAll(writer.sent());
    const opener = member.replicas.indexOf(gone.id);
    member.replicas.drop(opener);
    expect([member.held(1), isTakenBack(opener)]).toEqual([2, false]);
    member.at(member.store.now + 120_000).store.sweep(10);
    expect(isTakenBack(opener)).toBe(true);
  });

  it("is not reclaimed while an evicted count of it waits to be published", () => {
    const { member, isTakenBack, takeGivenUp } = orphaned();
    expect([member.evict(1), isTakenBack()]).toEqual([true, false]);
    takeGivenUp();
    expect(isTakenBack()).toBe(true);
  });

  it("is not reclaimed while frames are written, which may name it", () => {
    const { member, isTakenBack } = orphaned();
    member.at(member.store.now + 120_000).store.sweep(10);
    expect([isTakenBack(true), isTakenBack()]).toEqual([false, true]);
  });
});
