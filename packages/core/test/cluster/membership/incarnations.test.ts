import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { leakyBucket } from "../../../src/policies/bucket.ts";
import { concurrency } from "../../../src/policies/concurrency.ts";
import { fixedWindow } from "../../../src/policies/fixed-window.ts";
import type { Policy } from "../../../src/policies/policy.ts";
import { slidingLog } from "../../../src/policies/sliding-log.ts";
import { slidingWindow } from "../../../src/policies/sliding-window.ts";
import { Fleet, type FleetReplica } from "../fleet.ts";
import { hit as hitMember, kindOf, TappedCluster, used } from "../tapped-cluster.ts";

const HOUR = 3_600_000;
const ID = "0123456789abcdef";

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
});

afterEach(() => {
  vi.useRealTimers();
});

const windows = [fixedWindow({ limit: 1_000, windowMs: HOUR })];

function hit(replica: FleetReplica, times: number): void {
  for (let time = 0; time < times; time++) replica.limiter.check("ada");
}

describe("two processes that start with one id", () => {
  it("are separated: one takes another id, and what both count from then on adds up", () => {
    const fleet = new Fleet({ policies: windows });
    const [one, copy, other] = [fleet.add({}, ID), fleet.add({}, ID), fleet.add()];
    fleet.pass(2_000);
    hit(one, 10);
    fleet.pass(2_000);
    const ids = [one, copy].map(({ replica }) => replica.replicas.selfId);
    expect(new Set(ids).size).toBe(2);
    expect(ids).toContain(ID);
    hit(one, 5);
    hit(copy, 7);
    hit(other, 1);
    fleet.pass(5_000);
    expect(fleet.replicas.map((replica) => replica.view("ada")[0])).toEqual([23, 23, 23]);
    const troubles = [...one.troubles, ...copy.troubles].filter((said) => said.includes(ID));
    expect(troubles).toEqual([
      expect.stringMatching(`^another process uses the replica id ${ID}: this process is now`),
    ]);
  });

  it("are separated although one is a snapshot that starts when the other has ended", () => {
    const fleet = new Fleet({ policies: windows });
    const [, one] = [fleet.add(), fleet.add({}, ID)];
    fleet.pass(2_000);
    hit(one, 100);
    fleet.pass(2_000);
    fleet.crash(one);
    fleet.pass(10_000);
    const snapshot = fleet.add({}, ID);
    fleet.pass(2_000);
    hit(snapshot, 50);
    fleet.pass(15_000);
    expect(snapshot.replica.replicas.selfId).not.toBe(ID);
    expect(fleet.replicas.map((replica) => replica.view("ada")[0])).toEqual([150, 150]);
  });

  it("cannot make each other take one id after the other", () => {
    const fleet = new Fleet({ policies: windows });
    const one = fleet.add({}, ID);
    fleet.add();
    fleet.pass(2_000);
    for (let time = 0; time < 5; time++) {
      one.replica.incarnation.change();
      fleet.pass(1_000);
    }
    expect(one.troubles.filter((said) => said.includes("this process is now"))).toHaveLength(1);
  });
});

describe("a replica that takes another id", () => {
  const kinds: [string, Policy][] = [
    ["a fixed window", windows[0]!],
    ["an aligned window", fixedWindow({ limit: 1_000, windowMs: HOUR, align: true })],
    ["a sliding window", slidingWindow({ limit: 1_000, windowMs: HOUR })],
    ["a sliding log", slidingLog({ limit: 1_000, windowMs: HOUR })],
    ["a leaky bucket", leakyBucket({ capacity: 1_000, leakPerSecond: 0.001 })],
    ["concurrency", concurrency({ limit: 1_000 })],
  ];
  it.each(kinds)("loses nothing and doubles nothing: %s", (_, policy) => {
    const fleet = new Fleet({ policies: [policy] });
    const [one, other] = [fleet.add({}, ID), fleet.add()];
    fleet.pass(2_000);
    hit(one, 10);
    hit(other, 4);
    fleet.pass(1_000);
    expect(one.view("ada")).toEqual([14]);
    one.replica.incarnation.change();
    // A permit under the former id is held until that id is known to be dead.
    fleet.pass(policy.kind === "concurrency" ? 5_000 : 1_000);
    hit(one, 3);
    fleet.pass(1_000);
    expect(fleet.replicas.map((replica) => replica.view("ada"))).toEqual([[17], [17]]);
    const late = fleet.add();
    fleet.pass(12_000);
    expect(late.view("ada")).toEqual([17]);
  });
});

describe("a permit held by a replica that takes another id", () => {
  const policies = [concurrency({ limit: 10 })];
  const views = (fleet: Fleet): number[] =>
    fleet.replicas.map((replica) => replica.view("ada")[0]!);

  it("is never held twice, and is free when it is released", () => {
    const fleet = new Fleet({ policies });
    const [one] = [fleet.add({}, ID), fleet.add(), fleet.add()];
    fleet.pass(2_000);
    hit(one, 6);
    fleet.pass(1_000);
    one.replica.incarnation.change();
    const { selfId } = one.replica.replicas;
    for (let time = 0; time < 500; time++) {
      fleet.pass(20);
      expect(fleet.replicas[1]!.replica.members.find(selfId)).toBeDefined();
      expect(views(fleet)).toEqual([6, 6, 6]);
    }
    for (let time = 0; time < 4; time++) one.limiter.release("ada");
    fleet.pass(1_000);
    expect(views(fleet)).toEqual([2, 2, 2]);
  });

  it("is not held twice because of late frames under the former id", () => {
    const tapped = new TappedCluster();
    const [one, other] = [
      tapped.add({}, { policy: policies[0]! }),
      tapped.add({}, { policy: policies[0]! }),
    ];
    vi.advanceTimersByTime(2_000);
    tapped.network.cut(one.transport, other.transport);
    hitMember(one, 6);
    vi.advanceTimersByTime(300);
    const late = tapped.of(one).filter(({ frame }) => kindOf(frame) === "counts");
    one.replica.incarnation.change();
    tapped.network.heal();
    vi.advanceTimersByTime(1_500);
    expect([late.length, used(other)]).toEqual([1, 6]);
    tapped.replay(late);
    expect(used(other)).toBe(6);
  });

  it("is held beside the permits of the other process with the former id", () => {
    const fleet = new Fleet({ policies });
    const [one, copy] = [fleet.add({}, ID), fleet.add({}, ID), fleet.add()];
    fleet.pass(2_000);
    hit(one, 3);
    hit(copy, 4);
    fleet.pass(300);
    copy.limiter.check("bob");
    fleet.pass(6_000);
    expect(new Set(fleet.replicas.map(({ replica }) => replica.replicas.selfId)).size).toBe(3);
    expect(views(fleet)).toEqual([7, 7, 7]);
    fleet.pass(60_000);
    expect(views(fleet)).toEqual([7, 7, 7]);
  });
});

describe("a replica that takes another id with many unpublished counts", () => {
  it("publishes them first, in slices, and loses nothing", () => {
    const tapped = new TappedCluster();
    const [one, other] = [tapped.add(), tapped.add()];
    vi.advanceTimersByTime(3_000);
    const former = one.replica.replicas.selfId;
    const keys = Array.from({ length: 20_000 }, (_, key) => `key ${key}`);
    for (const key of keys) hitMember(one, 1, key);
    // Time passes while something is done.
    const now = performance.now.bind(performance);
    let passedMs = 0;
    vi.spyOn(performance, "now").mockImplementation(() => {
      passedMs += 0.01;
      return now() + passedMs;
    });
    one.replica.incarnation.change();
    expect(passedMs).toBeLessThan(10);
    expect(one.replica.replicas.selfId).toBe(former);
    hitMember(one, 1, keys[0]);
    vi.advanceTimersByTime(1_000);
    expect(one.replica.replicas.selfId).not.toBe(former);
    hitMember(one, 1, keys[1]);
    vi.advanceTimersByTime(5_000);
    const seen = keys.map((key) => used(other, key));
    expect(seen.slice(0, 2)).toEqual([2, 2]);
    expect(seen.slice(2).filter((hits) => hits !== 1)).toEqual([]);
    vi.restoreAllMocks();
  });

  it("takes it after a while if it counts as fast as it publishes, and publishes the rest as another's", () => {
    const tapped = new TappedCluster();
    const [one, other] = [tapped.add(), tapped.add()];
    vi.advanceTimersByTime(3_000);
    const former = one.replica.replicas.selfId;
    // Whenever a frame has left, there is more.
    let key = 0;
    const publish = one.transport.publish.bind(one.transport);
    one.transport.publish = (frame, to) => {
      if (kindOf(frame) === "counts" && one.replica.replicas.selfId === former) {
        hitMember(one, 1, `key ${key++}`);
      }
      return publish(frame, to);
    };
    const now = performance.now.bind(performance);
    let passedMs = 0;
    vi.spyOn(performance, "now").mockImplementation(() => {
      passedMs += 1;
      return now() + passedMs;
    });
    hitMember(one, 1, "first");
    one.replica.incarnation.change();
    vi.advanceTimersByTime(2_000);
    vi.restoreAllMocks();
    expect(one.replica.replicas.selfId).not.toBe(former);
    vi.advanceTimersByTime(30_000);
    const keys = Array.from({ length: key }, (_, at) => `key ${at}`);
    expect(keys.length).toBeGreaterThan(1);
    expect(keys.filter((each) => used(other, each) !== 1)).toEqual([]);
  });
});

describe("a replica that takes another id while it writes a long reply", () => {
  it("drops the reply, which would take long, and writes it when it is requested again", () => {
    const tapped = new TappedCluster();
    const one = tapped.add();
    vi.advanceTimersByTime(1_000);
    const keys = Array.from({ length: 20_000 }, (_, key) => `key ${key}`);
    for (const key of keys) hitMember(one, 1, key);
    vi.advanceTimersByTime(2_000);
    const pages = (): number =>
      tapped.of(one).filter(({ frame }) => kindOf(frame) === "reply").length;
    // It waits for its transport after the first frame of its reply.
    let isOpen = false;
    Object.defineProperty(one.transport, "busy", { get: () => !isOpen && pages() > 0 });
    const newcomer = tapped.add();
    vi.advanceTimersByTime(500);
    expect([pages(), one.replica.publisher.isReplying]).toEqual([1, true]);
    const before = tapped.overheard.length;
    one.replica.incarnation.change();
    expect(tapped.overheard.slice(before).map(({ frame }) => kindOf(frame))).not.toContain("reply");
    isOpen = true;
    vi.advanceTimersByTime(10_000);
    expect(keys.filter((key) => used(newcomer, key) !== 1)).toEqual([]);
  });
});
