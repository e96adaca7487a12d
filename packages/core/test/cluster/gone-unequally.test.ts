import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fixedWindow } from "../../src/policies/fixed-window.ts";
import { hit, kindOf, lose, TappedCluster, type TappedMember, used } from "./tapped-cluster.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const policy = fixedWindow({ limit: 100, windowMs: HOUR });

let cluster: TappedCluster;
let one: TappedMember;
let two: TappedMember;

/** What one and the other can say of others than themselves is lost, until this is called. */
let restore: () => void;

/** Of three, one tells each of the others one thing, and nobody a third; then it is gone. */
beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
  cluster = new TappedCluster();
  one = cluster.add({}, { policy });
  two = cluster.add({}, { policy });
  const gone = cluster.add({}, { policy });
  vi.advanceTimersByTime(10_000);
  const lost = [one, two].flatMap((member) => [lose("page", member), lose("counts", member)]);
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
    vi.advanceTimersByTime(300);
    cluster.network.heal();
  }
  cluster.crash(gone);
  // Until nobody has kept the frames themselves.
  vi.advanceTimersByTime(10 * MINUTE);
  expect([seen(one), seen(two)]).toEqual([
    [0, 3],
    [3, 0],
  ]);
});

afterEach(() => {
  vi.useRealTimers();
});

function seen(member: TappedMember): number[] {
  return ["ada", "bob"].map((key) => used(member, key));
}

/** How often anybody asks for something within a time. */
function asked(withinMs: number): number {
  cluster.overheard.length = 0;
  vi.advanceTimersByTime(withinMs);
  return cluster.overheard.filter(({ frame }) => kindOf(frame) === "request").length;
}

function expectAgreement(): void {
  expect([seen(one), seen(two)]).toEqual([
    [3, 3],
    [3, 3],
  ]);
}

describe("those who heard different things of one that is gone", () => {
  it("tell each other, and are silent then", () => {
    restore();
    vi.advanceTimersByTime(2 * MINUTE);
    expectAgreement();
    expect(asked(20 * MINUTE)).toBe(0);
  });

  it("ask each other ever more rarely while it is in vain, and go on", () => {
    vi.advanceTimersByTime(10 * MINUTE);
    // Each eight times in a row, and then not for 80 seconds.
    expect(asked(20 * MINUTE)).toBeLessThanOrEqual(2 * 8 * 16);
    restore();
    vi.advanceTimersByTime(2 * MINUTE);
    expectAgreement();
  });
});
