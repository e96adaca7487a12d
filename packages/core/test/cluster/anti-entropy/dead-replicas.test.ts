import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fixedWindow } from "../../../src/policies/fixed-window.ts";
import { holdTime, passTime, releaseTime } from "../simulation/held-time.ts";
import { hit, kindOf, lose, TappedCluster, type TappedMember, used } from "../tapped-cluster.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const policy = fixedWindow({ limit: 100, windowMs: HOUR });

let cluster: TappedCluster;
let one: TappedMember;
let two: TappedMember;

/** What two replicas can report on others is lost, until the returned function is called. */
let restore: () => void;

/** One of three publishes one count to each of the others and one to neither; then it crashes. */
beforeEach(() => {
  holdTime(1_790_000_000_000);
  cluster = new TappedCluster();
  one = cluster.add({}, { policy });
  two = cluster.add({}, { policy });
  const gone = cluster.add({}, { policy });
  passTime(10_000);
  const lost = [one, two].flatMap((member) => [lose("reply", member), lose("counts", member)]);
  restore = () => {
    for (const end of lost.reverse()) end();
  };
  for (const { key, deaf } of [
    { key: "eve", deaf: [one, two] },
    { key: "ada", deaf: [one] },
    { key: "bob", deaf: [two] },
  ]) {
    for (const member of [one, two]) cluster.network.cut(member.transport, gone.transport);
    for (const member of deaf) cluster.network.cut(gone.transport, member.transport);
    hit(gone, 3, key);
    passTime(300);
    cluster.network.heal();
  }
  cluster.crash(gone);
  // Until no replica has kept the frames themselves.
  passTime(10 * MINUTE);
  expect([seen(one), seen(two)]).toEqual([
    [0, 3],
    [3, 0],
  ]);
});

afterEach(() => {
  releaseTime();
});

function seen(member: TappedMember): number[] {
  return ["ada", "bob"].map((key) => used(member, key));
}

/** How often any replica sends a request within a time. */
function asked(withinMs: number): number {
  cluster.overheard.length = 0;
  passTime(withinMs);
  return cluster.overheard.filter(({ frame }) => kindOf(frame) === "request").length;
}

function expectAgreement(): void {
  expect([seen(one), seen(two)]).toEqual([
    [3, 3],
    [3, 3],
  ]);
}

describe("replicas that received different frames of a dead one", () => {
  it("exchange what they have, and then send nothing more", () => {
    restore();
    passTime(2 * MINUTE);
    expectAgreement();
    expect(asked(20 * MINUTE)).toBe(0);
  });

  it("ask each other ever more rarely while that brings nothing, and go on", () => {
    passTime(10 * MINUTE);
    // Each eight times in a row, and then not for 80 seconds.
    expect(asked(20 * MINUTE)).toBeLessThanOrEqual(2 * 8 * 16);
    restore();
    passTime(2 * MINUTE);
    expectAgreement();
  });
});
