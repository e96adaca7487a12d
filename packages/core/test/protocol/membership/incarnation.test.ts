import { expect, it } from "vitest";
import { Incarnation } from "../../../src/protocol/membership/incarnation.ts";
import { Replicas } from "../../../src/store/replicas/replicas.ts";
import { membershipOf } from "../membership-of.ts";

const CHANGE_AGAIN_MS = 60_000;
/** Two steps of half of all ids of one address lead back to the first one. */
const HALF = 0.5;

it("a replica that takes one id after the other takes none that it had before, for all random numbers", () => {
  const replicas = new Replicas("0123456789abcdef");
  const members = membershipOf(replicas);
  let nowMs = 1_000;
  const clock = { now: () => nowMs, rawNow: () => nowMs, originMs: 0 };
  const publisher = { finish: () => {}, finished: () => "all", nextFrame: 2 };
  const context = {
    ...{ replicas, members, clock, random: () => HALF, report: () => {} },
    replicatedLimiters: { disown: () => {} },
    sender: { counted: 1, hello: () => {} },
  };
  const incarnation = new Incarnation(context as never, publisher as never);
  const ids = [replicas.selfId];
  for (let change = 0; change < 3; change++) {
    incarnation.change();
    incarnation.work(nowMs);
    ids.push(replicas.selfId);
    nowMs += CHANGE_AGAIN_MS;
  }
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.slice(0, -1).map((id) => members.find(id)?.id)).toEqual(ids.slice(0, -1));
  // The address stays.
  expect(new Set(ids.map((id) => id.slice(0, 12))).size).toBe(1);
});
