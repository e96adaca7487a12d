import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { hit, TappedCluster, used } from "./tapped-cluster.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
});

afterEach(() => {
  vi.useRealTimers();
});

describe("a reset of long ago", () => {
  it.each([1, 119, 121, 125, 300, 3_600])(
    "keeps nobody from hearing what is counted %d seconds later",
    (seconds) => {
      const cluster = new TappedCluster();
      const members = [cluster.add(), cluster.add(), cluster.add()];
      vi.advanceTimersByTime(1_000);
      hit(members[0]!, 10);
      members[0]!.limiter.reset("ada");
      vi.advanceTimersByTime(seconds * 1_000);
      hit(members[1]!, 7);
      vi.advanceTimersByTime(500);
      expect(members.map((member) => used(member))).toEqual([7, 7, 7]);
      hit(members[0]!, 2);
      vi.advanceTimersByTime(500);
      expect(members.map((member) => used(member))).toEqual([9, 9, 9]);
    },
  );
});
