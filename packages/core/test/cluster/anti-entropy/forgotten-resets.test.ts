import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { holdTime, passTime, releaseTime } from "../simulation/held-time.ts";
import { hit, TappedCluster, used } from "../tapped-cluster.ts";

beforeEach(() => {
  holdTime(1_790_000_000_000);
});

afterEach(() => {
  releaseTime();
});

describe("a reset of long ago", () => {
  it.each([1, 119, 121, 125, 300, 3_600])(
    "does not keep later counts out, %d seconds later",
    (seconds) => {
      const cluster = new TappedCluster();
      const members = [cluster.add(), cluster.add(), cluster.add()];
      passTime(1_000);
      hit(members[0]!, 10);
      members[0]!.limiter.reset("ada");
      passTime(seconds * 1_000);
      hit(members[1]!, 7);
      passTime(500);
      expect(members.map((member) => used(member))).toEqual([7, 7, 7]);
      hit(members[0]!, 2);
      passTime(500);
      expect(members.map((member) => used(member))).toEqual([9, 9, 9]);
    },
  );
});
