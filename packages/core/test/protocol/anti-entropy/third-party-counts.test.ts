import { describe, expect, it } from "vitest";
import { ThirdPartyCounts } from "../../../src/protocol/anti-entropy/third-party-counts.ts";
import type { Membership } from "../../../src/protocol/membership/membership.ts";
import { halvesOf } from "../../../src/protocol/membership/replica-id.ts";
import { Replicas } from "../../../src/store/replicas/replicas.ts";
import { membershipOf } from "../membership-of.ts";

const [TELLER, GONE] = ["0000000000000001", "0000000000000002"] as const;
const NOW_MS = 10_000;

/** A replica reports in two parts what a dead one has counted. */
function reportedTotal(between: (members: Membership) => void): number {
  const replicas = new Replicas("00000000000000ff");
  const members = membershipOf(replicas);
  const publisher = members.received(TELLER, NOW_MS, NOW_MS, 7)!;
  const context = { replicas, members, clock: { now: () => NOW_MS } };
  const thirdPartyCounts = new ThirdPartyCounts(context as never);
  const heard = { ...halvesOf(GONE), upTo: 40, above: 0, clockMs: NOW_MS - 5_000, silentMs: 5_000 };
  const page = { since: 0, upTo: 7, replyNumber: 1, hasAllPermits: false };
  thirdPartyCounts.begin();
  thirdPartyCounts.addReport(heard, NOW_MS);
  thirdPartyCounts.cover(publisher, { ...page, part: 0, parts: 0 });
  between(members);
  thirdPartyCounts.begin();
  thirdPartyCounts.addReport(heard, NOW_MS);
  thirdPartyCounts.cover(publisher, { ...page, part: 1, parts: 2 });
  return members.find(GONE)!.frames.last;
}

describe("a report on a dead replica", () => {
  it("is known once all of its parts have arrived", () => {
    expect(reportedTotal(() => {})).toBe(40);
  });

  it("does not count as known if no frame of its publisher arrived between the parts", () => {
    const later = NOW_MS + 10_000;
    const fallSilent = (members: Membership): void => {
      members.detectFailures(later, Number.POSITIVE_INFINITY);
      members.received(TELLER, later, later, 7);
    };
    expect(reportedTotal(fallSilent)).toBe(0);
  });

  it("does not count as known if the dead replica publishes again between the parts", () => {
    expect(reportedTotal((members) => members.received(GONE, NOW_MS, NOW_MS, 50))).toBe(0);
  });
});
