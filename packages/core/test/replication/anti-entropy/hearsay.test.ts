import { describe, expect, it } from "vitest";
import { Hearsay } from "../../../src/replication/anti-entropy/hearsay.ts";
import { Members } from "../../../src/replication/membership/members.ts";
import { halvesOf } from "../../../src/replication/membership/replica-id.ts";
import { Replicas } from "../../../src/store/replicas/replicas.ts";

const [TELLER, GONE] = ["0000000000000001", "0000000000000002"] as const;
const NOW_MS = 10_000;

/** A replica tells in two parts what a dead one has counted. */
function told(between: (members: Members) => void): number {
  const replicas = new Replicas("00000000000000ff");
  const bounds = { silentMs: 3_000, membersMax: 9, lost: () => {}, heldUpMs: () => 0 };
  const members = new Members(replicas, bounds);
  const teller = members.hear(TELLER, NOW_MS, NOW_MS, 7)!;
  const hearsay = new Hearsay({ replicas, members, clock: { now: () => NOW_MS } as never });
  const heard = { ...halvesOf(GONE), upTo: 40, above: 0, clockMs: NOW_MS - 5_000, silentMs: 5_000 };
  const page = { since: 0, upTo: 7, telling: 1, hasAllHeld: false };
  hearsay.begin();
  hearsay.hear(heard, NOW_MS);
  hearsay.cover(teller, { ...page, part: 0, parts: 0 });
  between(members);
  hearsay.begin();
  hearsay.hear(heard, NOW_MS);
  hearsay.cover(teller, { ...page, part: 1, parts: 2 });
  return members.find(GONE)!.frames.last;
}

describe("what a replica says of one that is gone", () => {
  it("is known once all parts have been heard", () => {
    expect(told(() => {})).toBe(40);
  });

  it("is not taken for known if the teller itself was not heard between the parts", () => {
    const later = NOW_MS + 10_000;
    const fallSilent = (members: Members): void => {
      members.look(later, Number.POSITIVE_INFINITY);
      members.hear(TELLER, later, later, 7);
    };
    expect(told(fallSilent)).toBe(0);
  });

  it("is not taken for known if that one speaks for itself between the parts", () => {
    expect(told((members) => members.hear(GONE, NOW_MS, NOW_MS, 50))).toBe(0);
  });
});
