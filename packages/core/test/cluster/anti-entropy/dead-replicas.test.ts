import { beforeEach, describe, expect, it } from "vitest";
import { fixedWindow } from "../../../src/policies/fixed-window.ts";
import { hit, kindOf, used } from "../tapped-cluster.ts";
import { TappedFleet, type TappedProcess } from "../tapped-fleet.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const policy = fixedWindow({ limit: 100, windowMs: HOUR });

let cluster: TappedFleet;
let one: TappedProcess;
let two: TappedProcess;

/** What two replicas can report on others is lost, until the returned function is called. */
let restore: () => void;

/** One of three publishes one count to each of the others and one to neither; then it crashes. */
beforeEach(() => {
  cluster = new TappedFleet();
  one = cluster.add({ policy });
  two = cluster.add({ policy });
  const gone = cluster.add({ policy });
  cluster.pass(10_000);
  const lost = [one, two].flatMap((member) => [
    cluster.lose("reply", member),
    cluster.lose("counts", member),
  ]);
  restore = () => {
    for (const end of lost.reverse()) end();
  };
  for (const { key, deaf } of [
    { key: "eve", deaf: [one, two] },
    { key: "ada", deaf: [one] },
    { key: "bob", deaf: [two] },
  ]) {
    for (const member of [one, two]) cluster.network.cut(member.process, gone.process);
    for (const member of deaf) cluster.network.cut(gone.process, member.process);
    hit(gone, 3, key);
    cluster.pass(300);
    cluster.network.heal();
  }
  cluster.crash(gone);
  // Until no replica has kept the frames themselves.
  cluster.pass(10 * MINUTE);
  expect([seen(one), seen(two)]).toEqual([
    [0, 3],
    [3, 0],
  ]);
});

function seen(member: TappedProcess): number[] {
  return ["ada", "bob"].map((key) => used(member, key));
}

/** How often any replica sends a request within a time. */
function asked(withinMs: number): number {
  cluster.overheard.length = 0;
  cluster.pass(withinMs);
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
    cluster.pass(2 * MINUTE);
    expectAgreement();
    expect(asked(20 * MINUTE)).toBe(0);
  });

  it("ask each other ever more rarely while that brings nothing, and go on", () => {
    cluster.pass(10 * MINUTE);
    // Each eight times in a row, and then not for 80 seconds.
    expect(asked(20 * MINUTE)).toBeLessThanOrEqual(2 * 8 * 16);
    restore();
    cluster.pass(2 * MINUTE);
    expectAgreement();
  });
});
