import { describe, expect, it } from "vitest";
import { NO_REPLICA, Replicas, SELF } from "../../../src/store/replicas/replicas.ts";

describe("Replicas", () => {
  it("give this process number 0 and every id one number of its own", () => {
    const replicas = new Replicas("self");
    const [one, two] = [replicas.indexOf("a"), replicas.indexOf("b")];
    expect([replicas.indexOf("self"), one, two]).toEqual([SELF, 1, 2]);
    expect([replicas.indexOf("a"), replicas.idOf(2)]).toEqual([1, "b"]);
    expect([replicas.precedes(one, two), replicas.precedes(two, one)]).toEqual([true, false]);
  });

  it("count live replicas, and distinguish silent from dropped ones", () => {
    const replicas = new Replicas("self");
    const one = replicas.indexOf("a");
    expect(replicas.aliveCount).toBe(2);
    replicas.setAlive(one, false);
    replicas.setAlive(one, false);
    expect([replicas.aliveCount, replicas.isAlive(one), replicas.isDropped(one)]).toEqual([
      1,
      false,
      false,
    ]);
    replicas.drop(one);
    replicas.setAlive(one, true);
    expect([replicas.aliveCount, replicas.isAlive(one), replicas.isDropped(one)]).toEqual([
      1,
      false,
      true,
    ]);
    expect(() => replicas.drop(SELF)).toThrow("does not drop itself");
  });

  it("give a replica that returns after a drop another index", () => {
    const replicas = new Replicas("self");
    const before = replicas.indexOf("a");
    replicas.drop(before);
    const after = replicas.indexOf("a");
    expect(after).not.toBe(before);
    expect([replicas.isDropped(before), replicas.isAlive(after)]).toEqual([true, true]);
  });

  it("reuse an index only when nothing refers to it", () => {
    const replicas = new Replicas("self");
    const [one, two] = [replicas.indexOf("a"), replicas.indexOf("b")];
    replicas.setOffset(two, 500);
    for (const index of [one, two]) replicas.drop(index);
    expect(replicas.spare(() => false)).toEqual([one, two]);
    replicas.reclaim([two]);
    expect([replicas.indexOf("c"), replicas.indexOf("d")]).toEqual([two, 3]);
    expect([replicas.offsetMs(two), replicas.isAlive(two), replicas.isDropped(one)]).toEqual([
      0,
      true,
      true,
    ]);
  });

  it("forget the received frames and the former id together with an index", () => {
    const replicas = new Replicas("self");
    const [former, later, third] = ["a", "b", "c"].map((id) => replicas.indexOf(id)) as [
      number,
      number,
      number,
    ];
    replicas.setReceivedUpTo(later, 7);
    replicas.setHeldSince(later, 5);
    replicas.formers.set(later, { replica: former, upTo: 3 });
    replicas.formers.set(third, { replica: later, upTo: 4 });
    replicas.drop(later);
    replicas.reclaim([later]);
    expect(replicas.indexOf("d")).toBe(later);
    expect([replicas.receivedUpTo(later), replicas.heldSince(later)]).toEqual([0, 0]);
    expect([later, third].map((index) => replicas.formers.of(index))).toEqual([
      undefined,
      undefined,
    ]);
  });

  it("reclaim the index of an opener only when no frame has named it for two scans", () => {
    const replicas = new Replicas("self");
    const [member, stranger, named] = ["a", "b", "c"].map((id) => replicas.indexOf(id, false));
    const spare = replicas.spare((id) => id === "a");
    expect(spare).toEqual([stranger, named]);
    replicas.reclaim(spare);
    expect(replicas.indexOf("c", false)).toBe(named);
    replicas.reclaim(spare);
    expect(replicas.indexOf("new")).toBe(stranger);
    expect([replicas.indexOf("a"), replicas.indexOf("c")]).toEqual([member, named]);
    expect(replicas.size).toBe(4);
  });

  it("report each change that affects how components are read, once", () => {
    const replicas = new Replicas("self");
    let told = 0;
    const watcher = () => {
      told++;
    };
    replicas.watch(watcher);
    const one = replicas.indexOf("a");
    const moves = [
      () => replicas.setOffset(one, 5),
      () => replicas.setAlive(one, false),
      () => replicas.setAlive(one, true),
      () => replicas.drop(one),
    ];
    for (const [index, move] of moves.entries()) {
      move();
      move();
      expect(told).toBe(index + 1);
    }
    replicas.unwatch(watcher);
    replicas.setOffset(replicas.indexOf("b"), 5);
    expect(told).toBe(moves.length);
  });

  it("have no index left when all are in use", () => {
    const replicas = new Replicas("self");
    for (let index = 1; index < NO_REPLICA; index++) replicas.indexOf(`replica-${index}`);
    expect(replicas.indexOf("one too many")).toBe(NO_REPLICA);
    expect(replicas.indexOf("replica-7")).toBe(7);
  });
});
