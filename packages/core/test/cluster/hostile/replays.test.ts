import { beforeEach, describe, expect, it } from "vitest";
import { concurrency } from "../../../src/policies/concurrency.ts";
import { alive, hit, kindOf, used } from "../tapped-cluster.ts";
import { TappedFleet, type TappedProcess } from "../tapped-fleet.ts";

const MINUTE = 60_000;

let cluster: TappedFleet;

beforeEach(() => {
  cluster = new TappedFleet({ secret: "a secret of these processes" });
});

function three(): [TappedProcess, TappedProcess, TappedProcess] {
  const members: [TappedProcess, TappedProcess, TappedProcess] = [
    cluster.add(),
    cluster.add(),
    cluster.add(),
  ];
  cluster.pass(1_000);
  return members;
}

function reversed<Item>(items: readonly Item[]): Item[] {
  return Array.from(items).reverse();
}

describe("replayed sealed frames", () => {
  it("count nothing twice, in any order and any number", () => {
    const members = three();
    for (const member of members) hit(member, 10);
    cluster.pass(500);
    for (let time = 0; time < 5; time++) {
      cluster.replay();
      cluster.replay(reversed(cluster.overheard));
      expect(members.map((member) => used(member))).toEqual([30, 30, 30]);
    }
  });

  it("do not bring back a window that has ended", () => {
    const members = three();
    hit(members[0], 10);
    cluster.pass(500);
    const recorded = Array.from(cluster.overheard);
    cluster.pass(MINUTE);
    hit(members[1], 3);
    cluster.replay(recorded);
    expect(members.map((member) => used(member))).toEqual([3, 3, 3]);
  });

  it("do not make a dead replica live again, nor its counts", () => {
    const [one, two, dead] = three();
    hit(dead, 10);
    cluster.pass(500);
    const recorded = cluster.of(dead);
    cluster.crash(dead);
    cluster.pass(5 * MINUTE);
    const before = alive(one);
    expect(before).toHaveLength(1);
    cluster.replay(recorded);
    cluster.replay(reversed(recorded));
    expect([used(one), used(two)]).toEqual([0, 0]);
    expect(alive(one)).toEqual(before);
  });

  it("keep a dead replica alive for no longer than a silence at a replica that joined later", () => {
    const [one, two, dead] = three();
    hit(dead, 10);
    cluster.pass(500);
    const recorded = cluster.of(dead);
    cluster.crash(dead);
    cluster.pass(5 * MINUTE);
    const late = cluster.add();
    cluster.pass(1_000);
    cluster.replay(recorded);
    expect(used(late)).toBe(0);
    // The replica that reports on the dead one may lack the last frame that others received.
    cluster.pass(5_000);
    const living = [one, two].map((member) => member.cluster.status().replica);
    expect(alive(late)).toEqual(living.sort());
  });

  it("that reach a joining replica first are found out when it gets a report on dead replicas", () => {
    const [, , dead] = three();
    hit(dead, 10);
    cluster.pass(500);
    const recorded = cluster.of(dead);
    cluster.crash(dead);
    cluster.pass(5 * MINUTE);
    const late = cluster.add();
    cluster.replay(recorded);
    cluster.pass(3_000);
    expect(used(late)).toBe(0);
    expect(alive(late)).not.toContain(dead.cluster.status().replica);
    cluster.replay(recorded);
    expect(used(late)).toBe(0);
    expect(alive(late)).not.toContain(dead.cluster.status().replica);
  });

  it("do not hold permits of requests that ended with their process", () => {
    const policy = concurrency({ limit: 10 });
    const [one, dead] = [cluster.add({ policy }), cluster.add({ policy })];
    cluster.pass(1_000);
    hit(dead, 3);
    cluster.pass(500);
    expect(used(one)).toBe(3);
    cluster.crash(dead);
    cluster.pass(10_000);
    expect(used(one)).toBe(0);
    cluster.replay(cluster.of(dead));
    expect(used(one)).toBe(0);
    const late = cluster.add({ policy });
    cluster.pass(3_000);
    cluster.replay(cluster.of(dead));
    expect([used(one), used(late)]).toEqual([0, 0]);
  });

  it("do not end a replica that has not left", () => {
    const [one, two, leaving] = three();
    hit(leaving, 10);
    leaving.process.leave();
    cluster.pass(100);
    const before = alive(one);
    expect(before).toEqual([two.cluster.status().replica]);
    for (let seconds = 0; seconds < 10; seconds++) {
      cluster.replay();
      cluster.pass(1_000);
    }
    expect([alive(one), used(one), used(two)]).toEqual([before, 10, 10]);
  });

  it("are refused after ten minutes if their sender is not known any more", () => {
    const members = three();
    hit(members[0], 10);
    members[0].limiter.resetAll();
    cluster.pass(500);
    const recorded = Array.from(cluster.overheard);
    for (const member of members) cluster.crash(member);
    cluster.pass(11 * MINUTE);
    const fresh = cluster.add();
    hit(fresh, 4);
    cluster.replay(recorded);
    expect(used(fresh)).toBe(4);
    expect(fresh.cluster.status().peers).toEqual([]);
    expect(fresh.cluster.status().frames.refused["farClock"]).toBe(recorded.length);
  });

  it("of a cluster whose members have all ended make at most one window count again", () => {
    const members = three();
    hit(members[0], 10);
    cluster.pass(500);
    const recorded = Array.from(cluster.overheard);
    for (const member of members) cluster.crash(member);
    cluster.pass(5 * MINUTE);
    const fresh = cluster.add();
    cluster.replay(recorded);
    expect(used(fresh)).toBe(10);
    for (let seconds = 0; seconds < 70; seconds++) {
      cluster.pass(1_000);
      cluster.replay(recorded);
    }
    expect(used(fresh)).toBe(0);
  });

  it("do not undo, by a reset, what was counted after it", () => {
    const [one, two, three_] = three();
    hit(one, 10);
    one.limiter.reset("ada");
    one.limiter.block("bob", 1_000);
    one.limiter.reset("bob");
    cluster.pass(500);
    const recorded = Array.from(cluster.overheard);
    for (const minutes of [0, 3, 5]) {
      cluster.pass(minutes * MINUTE + 1_000);
      hit(two, 7);
      two.limiter.block("bob", 30_000);
      cluster.pass(500);
      const before = used(three_);
      cluster.replay(recorded);
      cluster.replay(reversed(recorded));
      expect([one, two, three_].map((member) => used(member))).toEqual([before, before, before]);
      expect(three_.limiter.peek("bob").allowed).toBe(false);
    }
  });

  it("are refused once their sender's clock is ten minutes further", () => {
    const [one, two, three_] = three();
    hit(one, 10);
    one.limiter.reset("ada");
    cluster.pass(500);
    const recorded = Array.from(cluster.overheard);
    cluster.pass(25 * MINUTE);
    hit(two, 7);
    cluster.pass(500);
    cluster.replay(recorded);
    expect([one, two, three_].map((member) => used(member))).toEqual([7, 7, 7]);
    expect(two.cluster.status().frames.refused["farClock"]).toBeGreaterThan(0);
  });

  it("are refused with one bit changed", () => {
    const [one, two] = three();
    hit(one, 10);
    cluster.pass(500);
    const { frame } = cluster.of(one).at(-1)!;
    const before = two.cluster.status();
    for (let bit = 0; bit < frame.length * 8; bit++) {
      const changed = frame.slice();
      changed[bit >> 3]! ^= 1 << (bit & 7);
      cluster.say(changed);
    }
    cluster.pass(50);
    const { frames, refused, peers } = two.cluster.status();
    const sum = (counts: Readonly<Record<string, number>>): number =>
      Object.values(counts).reduce((total, count) => total + count, 0);
    expect(sum(frames.refused) - sum(before.frames.refused)).toBe(frame.length * 8);
    expect([refused, peers.length]).toEqual([before.refused, before.peers.length]);
  });
});

describe("frames that ask for a reply", () => {
  /** How many frames a member sends on its own, and how many during a storm of requests. */
  function storm(member: TappedProcess, frames: readonly Uint8Array[]): [number, number] {
    const count = (): number => cluster.of(member).length;
    let before = count();
    cluster.pass(2_000);
    const calm = count() - before;
    before = count();
    for (let ms = 0; ms < 2_000; ms++) {
      cluster.say(frames[ms % frames.length]!);
      cluster.pass(1);
    }
    return [calm, count() - before];
  }

  it("get no reply when they are old", () => {
    const [one, two] = three();
    const recorded = cluster.of(two).map(({ frame }) => frame);
    cluster.pass(6_000);
    const [calm, stormy] = storm(one, recorded);
    expect(stormy).toBeLessThanOrEqual(calm + 1);
  });

  it("make a replica send a heartbeat at most ten times a second, however many hellos arrive", () => {
    const [one] = three();
    const newcomer = cluster.add();
    cluster.pass(20);
    const hello = cluster.of(newcomer)[0]!.frame;
    const [calm, stormy] = storm(one, [hello]);
    expect(stormy - calm).toBeLessThanOrEqual(20);
    expect(stormy - calm).toBeGreaterThan(5);
  });

  it("make a replica send its counts at most five times a second, however many requests arrive", () => {
    const [one, two] = three();
    hit(one, 10);
    cluster.pass(500);
    const { replica: id } = one.cluster.status();
    const before = cluster.overheard.length;
    two.replica.sender.ask(id, 0, true);
    cluster.pass(1_500);
    const request = cluster.overheard
      .slice(before)
      .find(({ frame }) => kindOf(frame) === "request")!.frame;
    const [calm, stormy] = storm(one, [request]);
    expect(stormy - calm).toBeLessThanOrEqual(11);
    expect(stormy - calm).toBeGreaterThan(3);
  });
});
