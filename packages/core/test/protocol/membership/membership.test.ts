import { describe, expect, it } from "vitest";
import type { Membership } from "../../../src/protocol/membership/membership.ts";
import { Replicas } from "../../../src/store/replicas/replicas.ts";
import { membershipOf } from "../membership-of.ts";

const FORGOTTEN_MS = 60_000;

function membership(self = "self", membersMax = 3): { members: Membership; replicas: Replicas } {
  const replicas = new Replicas(self);
  return { replicas, members: membershipOf(replicas, membersMax) };
}

describe("the members of a cluster", () => {
  it("are all replicas whose frames arrive, up to a bound", () => {
    const { members, replicas } = membership();
    for (const id of ["a", "b", "c", "d", "a"]) members.received(id, 100, 90, 1);
    expect(Array.from(members.all(), ({ id }) => id)).toEqual(["a", "b", "c"]);
    expect(members.received("d", 100, 90, 1)).toBeUndefined();
    expect(replicas.aliveCount).toBe(4);
  });

  it("are forgotten when they are dead and another replica comes, first those that counted nothing", () => {
    const { members, replicas } = membership();
    const ids = (): string[] => Array.from(members.all(), ({ id }) => id);
    for (const [at, id] of ["a", "b", "c"].entries())
      members.received(id, 10 * at, 5, id === "b" ? 0 : 1);
    expect(members.received("d", 100, 90, 1)).toBeUndefined();
    members.detectFailures(4_000, FORGOTTEN_MS);
    // A dead replica has no claim to a place.
    expect(members.reported("d", 4_000, 3_990, 0)).toBeUndefined();
    members.received("d", 4_000, 3_000, 1);
    expect(ids()).toEqual(["a", "c", "d"]);
    members.received("e", 4_001, 3_000, 1);
    expect(ids()).toEqual(["c", "d", "e"]);
    members.leave(members.find("d")!);
    members.received("f", 4_002, 3_000, 1);
    expect(ids()).toEqual(["d", "e", "f"]);
    expect([replicas.aliveCount, members.detectFailures(4_002, FORGOTTEN_MS)]).toEqual([3, true]);
    expect(members.detectFailures(4_003, FORGOTTEN_MS)).toBe(false);
  });

  it("are not searched for a place again and again while all are alive", () => {
    const { members } = membership();
    for (const id of ["a", "b", "c"]) members.received(id, 0, 5, 1);
    expect(members.received("d", 100, 90, 1)).toBeUndefined();
    members.leave(members.find("a")!);
    expect(members.received("e", 1_099, 1_000, 1)).toBeUndefined();
    expect(members.received("f", 1_100, 1_000, 1)?.id).toBe("f");
  });

  it("are not alive once they have been silent, until a frame of them arrives", () => {
    const { members, replicas } = membership();
    const a = members.received("a", 0, 0, 1)!;
    const b = members.received("b", 2_000, 0, 1)!;
    members.detectFailures(3_500, FORGOTTEN_MS);
    expect([a.isAlive, b.isAlive]).toEqual([true, true]);
    members.detectFailures(3_501, FORGOTTEN_MS);
    expect([a.isAlive, b.isAlive, replicas.isAlive(a.index)]).toEqual([false, true, false]);
    members.received("a", 3_503, 1, 1);
    expect([a.isAlive, replicas.isAlive(a.index)]).toEqual([true, true]);
  });

  it("are not kept alive by replays of their old frames", () => {
    const { members } = membership();
    const member = members.received("a", 0, 500, 1)!;
    for (let now = 0; now < 10_000; now += 100) members.received("a", now, 500, 1);
    members.received("a", 5_000, 400, 1);
    members.detectFailures(3_501, FORGOTTEN_MS);
    expect(member.isAlive).toBe(false);
  });

  it("are not alive after they have left, even if frames of them arrive later", () => {
    const { members, replicas } = membership();
    const member = members.received("a", 0, 0, 1)!;
    members.leave(member);
    members.received("a", 100, 90, 2);
    expect([member.isAlive, replicas.aliveCount]).toEqual([false, 1]);
  });

  it("are forgotten after a silence in which all their counts have ended", () => {
    const { members, replicas } = membership();
    const { index } = members.received("a", 0, 0, 1)!;
    expect(members.detectFailures(60_000, FORGOTTEN_MS)).toBe(false);
    expect(members.detectFailures(60_001, FORGOTTEN_MS)).toBe(true);
    expect([members.size, replicas.isDropped(index)]).toEqual([0, true]);
  });

  it("are behind when they have announced more frames than were received", () => {
    const { members } = membership();
    const member = members.received("a", 0, 0, 2)!;
    expect(member.isBehind).toBe(true);
    for (const number of [1, 2]) member.frames.add(number);
    expect(member.isBehind).toBe(false);
    // A late frame says less than is known.
    members.received("a", 1, 0, 1);
    expect(member.isBehind).toBe(false);
    members.received("a", 2, 0, 3);
    expect(member.isBehind).toBe(true);
  });

  it("give the same checksum to all replicas that know the same members", () => {
    const one = membership("one", 4).members;
    const two = membership("two", 4).members;
    one.received("two", 0, 0, 0);
    one.received("three", 0, 0, 0);
    two.received("three", 0, 0, 0);
    const checksum = one.checksum();
    two.received("one", 2_000, 0, 0)!.lastHeartbeat = { checksum } as never;
    expect(checksum).toBe(two.checksum());
    expect(two.differs(checksum, 1)).toBe(false);
    two.reported("four", 2_000, 2_000, 0);
    const own = two.checksum();
    expect([1, 2, 3].map(() => two.differs(own, 3))).toEqual([false, false, true]);
    // If all places are taken, there is nothing to ask for.
    two.reported("five", 2_000, 2_000, 0);
    expect(two.differs(two.checksum(), 3)).toBe(false);
  });

  it("have clock offsets, and only changes that matter are stored", () => {
    const { members, replicas } = membership();
    let reread = 0;
    replicas.watch(() => reread++);
    const { index } = members.received("a", 1_000, 400, 1)!;
    expect([replicas.offsetMs(index), reread]).toEqual([600, 1]);
    members.received("a", 1_100, 501, 1);
    expect([replicas.offsetMs(index), reread]).toEqual([600, 1]);
    members.received("a", 1_200, 605, 1);
    expect([replicas.offsetMs(index), reread]).toEqual([595, 2]);
  });

  it("have clocks of which relayed old frames say less than reports", () => {
    const { members, replicas } = membership();
    const { index } = members.reported("a", 2_000, 1_950, 1_010)!;
    members.received("a", 4_300, 1_000, 1);
    expect(replicas.offsetMs(index)).toBe(1_010);
    members.received("a", 4_400, 3_395, 1);
    expect(replicas.offsetMs(index)).toBe(1_005);
  });

  it("have clocks of which their own frames say more in the end than reports", () => {
    const { members, replicas } = membership();
    const { index } = members.reported("a", 2_000, 1_950, -9_000)!;
    for (let beat = 0; beat < 3; beat++)
      members.received("a", 13_000 + beat * 1_000, 12_000 + beat * 1_000, 1);
    expect(replicas.offsetMs(index)).toBe(1_000);
  });

  it("receive a replica that others report on, although the clock of the sender is not known well", () => {
    const { members } = membership();
    members.received("a", 1_000, 1_000, 1);
    expect(members.detectFailures(9_000, 60_000)).toBe(false);
    // By our offset to the sender of the report, which stood still as well, it is six seconds ahead.
    members.reported("a", 9_000, 8_900, -3_600, 6_400);
    expect(members.received("a", 9_500, 6_900, 1)!.isAlive).toBe(true);
  });

  describe("members whose frames are late by as much as they were silent", () => {
    /**
     * Receives frames of some until 15 s, nothing for 9 s, and then frames that are late by 9 s.
     */
    function afterSilence(ids: readonly string[], isLate: (id: string) => boolean): Replicas {
      const { members, replicas } = membership();
      const beat = (second: number, id: string, lateMs: number): void => {
        members.received(id, 1_000 * second, 1_000 * second - lateMs, 1);
      };
      for (let second = 0; second < 16; second++) for (const id of ids) beat(second, id, 0);
      for (let second = 25; second < 30; second++) {
        for (const id of ids) beat(second, id, isLate(id) ? 9_000 : 0);
      }
      return replicas;
    }

    it("have clocks that stood still, if frames of others are in time or there are none", () => {
      for (const ids of [["a"], ["a", "b", "c"]]) {
        const replicas = afterSilence(ids, (id) => id === "a");
        const offsets = ids.map((id) => replicas.offsetMs(replicas.indexOf(id, true)));
        expect(offsets).toEqual(ids.map((id) => (id === "a" ? 9_000 : 0)));
      }
    });

    it("are delayed by a queue that all frames pass, if all are late", () => {
      const ids = ["a", "b", "c"];
      const replicas = afterSilence(ids, () => true);
      for (const id of ids) expect(replicas.offsetMs(replicas.indexOf(id, true))).toBe(0);
    });
  });
});
