import { describe, expect, it } from "vitest";
import { Members } from "../../src/replication/members.ts";

const OPTIONS = { silentMs: 3_000, forgottenMs: 60_000, membersMax: 3 };

function ids(members: Iterable<{ readonly id: string }>): string[] {
  return Array.from(members, ({ id }) => id);
}

describe("the members of a cluster", () => {
  it("are whoever is heard, and as many as there may be", () => {
    const members = new Members(OPTIONS);
    for (const id of ["a", "b", "c", "d", "a"]) members.hear(id, 100, 90, 1);
    expect(ids(members.all())).toEqual(["a", "b", "c"]);
    expect(members.hear("d", 100, 90, 1)).toBeUndefined();
  });

  it("are not alive once they have been silent, until they are heard again", () => {
    const members = new Members(OPTIONS);
    members.hear("a", 0, 0, 1);
    members.hear("b", 2_000, 0, 1);
    expect(ids(members.look(3_000).silent)).toEqual([]);
    expect(ids(members.look(3_001).silent)).toEqual(["a"]);
    expect(ids(members.look(3_002).silent)).toEqual([]);
    expect(members.hear("a", 3_003, 0, 1)?.isAlive).toBe(true);
    expect(ids(members.look(6_004).silent)).toEqual(["a", "b"]);
  });

  it("are forgotten when they leave, and after a silence in which all they counted has ended", () => {
    const members = new Members(OPTIONS);
    for (const id of ["a", "b"]) members.hear(id, 0, 0, 1);
    expect(members.leave("a")?.id).toBe("a");
    expect(members.leave("a")).toBeUndefined();
    expect(ids(members.look(60_000).forgotten)).toEqual([]);
    expect(ids(members.look(60_001).forgotten)).toEqual(["b"]);
    expect(members.size).toBe(0);
  });

  it("are behind when they have said that there is more than has been heard", () => {
    const members = new Members(OPTIONS);
    const member = members.hear("a", 0, 0, 2)!;
    expect(member.isBehind).toBe(true);
    for (const number of [1, 2]) member.frames.hear(number);
    expect(member.isBehind).toBe(false);
    // A late frame says less than is known.
    members.hear("a", 1, 0, 1);
    expect(member.isBehind).toBe(false);
    members.hear("a", 2, 0, 3);
    expect(member.isBehind).toBe(true);
  });

  it("give the same checksum to all who know the same ones to be alive", () => {
    const [one, two] = [new Members(OPTIONS), new Members(OPTIONS)];
    one.hear("two", 0, 0, 0);
    one.hear("three", 0, 0, 0);
    two.hear("three", 0, 0, 0);
    two.hear("one", 2_000, 0, 0);
    expect(one.checksum("one")).toBe(two.checksum("two"));
    two.look(3_001);
    expect(one.checksum("one")).not.toBe(two.checksum("two"));
  });
});
