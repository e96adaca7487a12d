/**
 * Permits that are released while other replicas do not receive it, or receive again that they were
 * held.
 */

import { describe, expect, it } from "vitest";
import { createLimiter } from "../../../src/limiter/limiter.ts";
import { concurrency } from "../../../src/policies/concurrency.ts";
import { fixedWindow } from "../../../src/policies/fixed-window.ts";
import { hit, used } from "../tapped-cluster.ts";
import { TappedFleet, type TappedProcess } from "../tapped-fleet.ts";

const HOUR = 3_600_000;
const policy = concurrency({ limit: 10 });
const secret = "a secret of these processes";

function member(cluster: TappedFleet, maxKeys?: number): TappedProcess {
  return cluster.add({ policy, maxKeys });
}

/** Membership that know each other for hours, as counts of an hour want. */
function members(cluster: TappedFleet, count: number, maxKeysOfOne?: number): TappedProcess[] {
  const made = Array.from({ length: count }, (_, at) =>
    member(cluster, at === 0 ? maxKeysOfOne : undefined),
  );
  for (const { cluster: of } of made) {
    const hourly = fixedWindow({ limit: 100, windowMs: HOUR });
    createLimiter({ name: "hourly", policy: hourly, cluster: of });
  }
  cluster.pass(3_000);
  return made;
}

function release({ limiter }: TappedProcess, times: number): void {
  for (let time = 0; time < times; time++) limiter.release("ada");
}

describe("a permit that is released during a partition", () => {
  const cuts = [30, 90, 180, 900].flatMap((seconds) => [
    { seconds, among: 2 },
    { seconds, among: 3 },
  ]);
  it.each(cuts)("is free everywhere after it: $seconds s, $among processes", (given) => {
    const cluster = new TappedFleet();
    const [one, two, ...rest] = members(cluster, given.among) as [TappedProcess, TappedProcess];
    hit(one, 10);
    cluster.pass(1_000);
    expect(used(two)).toBe(10);
    for (const other of [one, ...(rest as TappedProcess[])]) cluster.separate(other, two);
    cluster.pass(100);
    release(one, 7);

    cluster.pass(1_000);
    release(one, 3);
    cluster.pass(given.seconds * 1_000);
    cluster.network.heal();
    cluster.pass(10_000);
    expect([used(one), used(two)]).toEqual([0, 0]);
  });

  it("is free after it with a secret, which makes processes be remembered for longer", () => {
    const cluster = new TappedFleet({ secret });
    const [one, two] = [member(cluster), member(cluster)];
    cluster.pass(3_000);
    hit(one, 10);
    cluster.pass(1_000);
    cluster.separate(one, two);
    release(one, 10);
    cluster.pass(90_000);
    cluster.network.heal();
    cluster.pass(10_000);
    expect([used(one), used(two)]).toEqual([0, 0]);
  });

  it("is free for a replica that could name what it misses, and received nothing", () => {
    const cluster = new TappedFleet();
    const [one, two] = members(cluster, 2) as [TappedProcess, TappedProcess];
    hit(one, 10);
    cluster.pass(1_000);
    cluster.network.cut(one.process, two.process);
    release(one, 10);
    cluster.pass(180_000);
    cluster.network.heal();
    cluster.pass(10_000);
    expect([used(one), used(two)]).toEqual([0, 0]);
  });

  it("is free after it if the limiter was closed that held it", () => {
    const cluster = new TappedFleet();
    const [one, two] = members(cluster, 2) as [TappedProcess, TappedProcess];
    hit(one, 10);
    cluster.pass(1_000);
    cluster.separate(one, two);
    one.limiter.close();
    cluster.pass(180_000);
    cluster.network.heal();
    cluster.pass(10_000);
    expect(used(two)).toBe(0);
  });

  it("is free for a replica that got reports on its holder meanwhile", () => {
    const cluster = new TappedFleet();
    const [holder, one, two] = members(cluster, 3) as [TappedProcess, TappedProcess, TappedProcess];
    hit(holder, 10);
    cluster.pass(1_000);
    cluster.separate(holder, one);
    cluster.separate(two, one);
    release(holder, 10);
    // By then no replica relays the frame with the release.
    for (let minute = 0; minute < 20; minute++) {
      hit(holder, 30, `key ${minute}`);
      cluster.pass(60_000);
    }
    cluster.network.heal();
    cluster.separate(holder, one);
    cluster.separate(holder, two);
    cluster.pass(60_000);
    cluster.network.heal();
    cluster.pass(10_000);
    expect([holder, one, two].map((each) => used(each))).toEqual([0, 0, 0]);
  });
});

describe("a permit that is released and forgotten at once, for want of room", () => {
  it("is free at a replica that missed the frame with the release", () => {
    const cluster = new TappedFleet();
    const [one, two] = members(cluster, 2, 11) as [TappedProcess, TappedProcess];
    hit(one, 3);
    cluster.pass(1_000);
    expect(used(two)).toBe(3);
    const healed = cluster.lose("counts", one);
    release(one, 3);
    for (let key = 0; key < 100; key++) {
      hit(one, 1, `key ${key}`);
      one.limiter.release(`key ${key}`);
    }
    cluster.pass(300);
    healed();
    cluster.pass(5_000);
    expect([used(one), used(two)]).toEqual([0, 0]);
  });

  it("is free everywhere when there are more such permits than are remembered", () => {
    const cluster = new TappedFleet();
    const [one, two] = members(cluster, 2, 11) as [TappedProcess, TappedProcess];
    hit(one, 3);
    cluster.pass(1_000);
    one.process.setBusy(true);
    const flood = (from: number, to: number): void => {
      for (let key = from; key < to; key++) {
        hit(one, 1, `key ${key}`);
        one.limiter.release(`key ${key}`);
      }
    };
    flood(0, 66_000);
    release(one, 3);
    flood(66_000, 66_100);
    expect(one.limiter.status().evicted.foreign).toBeGreaterThan(65_536);
    one.process.setBusy(false);
    cluster.pass(10_000);
    expect([used(one), used(two)]).toEqual([0, 0]);
  });
});

describe("sealed frames of a live process", () => {
  it("do not bring a released permit back, whenever they are replayed", () => {
    const cluster = new TappedFleet({ secret });
    const all = members(cluster, 3) as [TappedProcess, TappedProcess, TappedProcess];
    const [one, two] = all;
    hit(one, 10);
    cluster.pass(500);
    const late = member(cluster);
    cluster.pass(3_000);
    expect([used(two), used(late)]).toEqual([10, 10]);
    const recorded = cluster.of(one);
    release(one, 10);
    cluster.pass(1_000);
    for (const seconds of [1, 70, 240]) {
      for (let second = 0; second < seconds; second++) {
        hit(two, 1, "bob");
        two.limiter.release("bob");
        cluster.pass(1_000);
      }
      cluster.replay(recorded);
      cluster.replay(Array.from(recorded).reverse());
      expect([...all, late].map((each) => used(each))).toEqual([0, 0, 0, 0]);
    }
  });
});
