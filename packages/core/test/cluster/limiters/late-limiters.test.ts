import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createLimiter, type Limiter } from "../../../src/limiter/limiter.ts";
import {
  HUNDRED_A_MINUTE,
  hit,
  kindOf,
  lose,
  TappedCluster,
  type TappedMember,
} from "../tapped-cluster.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Creates the limiter that the others have, in a process that had another one only. */
function late({ cluster }: TappedMember): () => number {
  const limiter: Limiter = createLimiter({ name: "api", policy: HUNDRED_A_MINUTE, cluster });
  return () => limiter.peek("ada").used;
}

describe("a limiter that is created long after its process was ready", () => {
  it("knows the counts of dead replicas as well as those of live ones", () => {
    const cluster = new TappedCluster();
    const [one, gone] = [cluster.add(), cluster.add()];
    vi.advanceTimersByTime(1_000);
    hit(gone, 10);
    hit(one, 20);
    vi.advanceTimersByTime(500);
    cluster.crash(gone);
    const other = cluster.add({}, { name: "other" });
    vi.advanceTimersByTime(15_000);
    const used = late(other);
    vi.advanceTimersByTime(500);
    expect(used()).toBe(30);
  });

  it("asks again when the replies are lost", () => {
    const cluster = new TappedCluster();
    const one = cluster.add();
    const other = cluster.add({}, { name: "other" });
    vi.advanceTimersByTime(1_000);
    hit(one, 20);
    vi.advanceTimersByTime(5_000);
    const restore = lose("reply", one);
    const used = late(other);
    vi.advanceTimersByTime(1_000);
    expect(used()).toBe(0);
    restore();
    vi.advanceTimersByTime(2_500);
    expect(used()).toBe(20);
  });

  it("receives all of a reply that another limiter had asked for before", () => {
    const cluster = new TappedCluster();
    const one = cluster.add();
    const other = cluster.add({}, { name: "other" });
    vi.advanceTimersByTime(1_000);
    for (let key = 0; key < 20_000; key++) one.limiter.check(`key-${key}`);
    hit(one, 20);
    vi.advanceTimersByTime(5_000);
    createLimiter({ name: "another", policy: HUNDRED_A_MINUTE, cluster: other.cluster });
    vi.advanceTimersByTime(3);
    const used = late(other);
    vi.advanceTimersByTime(3_000);
    expect(used()).toBe(20);
  });

  it.each([2, 3])(
    "knows after a partition what a replica had counted that was silent then, of %i",
    (size) => {
      const cluster = new TappedCluster();
      const others = Array.from({ length: size - 1 }, () => cluster.add());
      const other = cluster.add({}, { name: "other" });
      vi.advanceTimersByTime(1_000);
      hit(others[0]!, 20);
      vi.advanceTimersByTime(2_000);
      for (const { transport } of others) cluster.network.cut(transport, other.transport);
      vi.advanceTimersByTime(5_000);
      const used = late(other);
      vi.advanceTimersByTime(1_000);
      cluster.network.heal();
      vi.advanceTimersByTime(5_000);
      expect(used()).toBe(20);
    },
  );

  it.each([0, 1, 3])(
    "gets the counts of a reply that began before it was created, after %i slices of it",
    (slices) => {
      const cluster = new TappedCluster();
      const one = cluster.add();
      const other = cluster.add({}, { name: "shared" });
      const policy = HUNDRED_A_MINUTE;
      const shared = createLimiter({ name: "shared", policy, cluster: one.cluster });
      vi.advanceTimersByTime(1_000);
      for (let key = 0; key < 300; key++) shared.check(`key-${key}`);
      hit(one, 20);
      vi.advanceTimersByTime(5_000);
      cluster.overheard.length = 0;
      const found = lose("reply", one);
      createLimiter({ name: "another", policy, cluster: other.cluster });
      const publish = one.transport.publish.bind(one.transport);
      const pages: Uint8Array[] = [];
      one.transport.publish = (frame, to) => {
        if (kindOf(frame) === "reply") pages.push(frame.slice());
        return publish(frame, to);
      };
      vi.advanceTimersByTime(100);
      found();
      const reading = other.replica.receiver.receive(pages[0]!, other.replica.clock.now());
      for (let slice = 0; slice < slices; slice++) reading.next();
      const used = late(other);
      while (reading.next().done !== true);
      vi.advanceTimersByTime(5_000);
      expect([pages.length, used()]).toEqual([1, 20]);
    },
  );

  it("does not make any replica look partitioned", () => {
    const cluster = new TappedCluster();
    const members = [cluster.add(), cluster.add({}, { name: "other" }), cluster.add()];
    vi.advanceTimersByTime(1_000);
    hit(members[0]!, 20);
    vi.advanceTimersByTime(5_000);
    late(members[1]!);
    for (let step = 0; step < 60; step++) {
      vi.advanceTimersByTime(100);
      expect(members.map((each) => each.cluster.status().degraded)).toEqual([false, false, false]);
    }
  });
});
