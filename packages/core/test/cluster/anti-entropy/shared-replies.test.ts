import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { hit, kindOf, lose, TappedCluster, type TappedMember, used } from "../tapped-cluster.ts";

const MEMBERS = 8;
const HITS = 5;

let cluster: TappedCluster;
let members: TappedMember[];

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
  cluster = new TappedCluster();
  members = Array.from({ length: MEMBERS }, () => cluster.add());
  vi.advanceTimersByTime(3_000);
});

afterEach(() => {
  vi.useRealTimers();
});

/** One of the replicas counts, and none of the others receives it at first. */
function missOne(): void {
  const [one] = members as [TappedMember];
  hit(one, 1);
  vi.advanceTimersByTime(500);
  const found = lose("counts", one);
  hit(one, HITS - 1);
  vi.advanceTimersByTime(200);
  found();
  cluster.overheard.length = 0;
}

function overheard(kind: string): typeof cluster.overheard {
  return cluster.overheard.filter(({ frame }) => kindOf(frame) === kind);
}

/** How long it takes until something is the case. */
function until(isTrue: () => boolean, longestMs: number): number {
  let ms = 0;
  for (; !isTrue() && ms < longestMs; ms += 5) vi.advanceTimersByTime(5);
  return ms;
}

describe("a frame that none of many replicas has received", () => {
  it("soon reaches all of them, with few requests and replies", () => {
    missOne();
    until(() => overheard("request").length > 0, 5_000);
    const ms = until(() => members.every((member) => used(member) === HITS), 5_000);
    expect(ms).toBeLessThan(350);
    expect(overheard("request").length).toBeLessThan(MEMBERS - 1);
    expect(overheard("reply").length).toBeLessThanOrEqual(3);
  });
});
