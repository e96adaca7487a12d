import { describe, expect, it } from "vitest";
import { hit, used } from "../tapped-cluster.ts";
import { TappedFleet } from "../tapped-fleet.ts";

describe("a reset of long ago", () => {
  it.each([1, 119, 121, 125, 300, 3_600])(
    "does not keep later counts out, %d seconds later",
    (seconds) => {
      const cluster = new TappedFleet();
      const members = [cluster.add(), cluster.add(), cluster.add()];
      cluster.pass(1_000);
      hit(members[0]!, 10);
      members[0]!.limiter.reset("ada");
      cluster.pass(seconds * 1_000);
      hit(members[1]!, 7);
      cluster.pass(500);
      expect(members.map((member) => used(member))).toEqual([7, 7, 7]);
      hit(members[0]!, 2);
      cluster.pass(500);
      expect(members.map((member) => used(member))).toEqual([9, 9, 9]);
    },
  );
});
