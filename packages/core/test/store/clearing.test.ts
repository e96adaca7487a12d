import { afterEach, describe, expect, it, vi } from "vitest";
import { tokenBucket } from "../../src/policies/bucket.ts";
import { concurrency } from "../../src/policies/concurrency.ts";
import { fixedWindow } from "../../src/policies/fixed-window.ts";
import type { Policy } from "../../src/policies/policy.ts";
import { slidingLog } from "../../src/policies/sliding-log.ts";
import { slidingWindow } from "../../src/policies/sliding-window.ts";
import { RecordPool } from "../../src/store/table/record-pool.ts";
import { fleet, type Member, meet, START_MS } from "./fleet.ts";

const KEYS = 500;
const windowMs = 60_000;

const cases: [string, Policy][] = [
  ["windows", fixedWindow({ limit: 10, windowMs })],
  ["aligned windows", fixedWindow({ limit: 10, windowMs, align: true })],
  ["slots", slidingWindow({ limit: 10, windowMs })],
  ["buckets", tokenBucket({ capacity: 10, refillPerSecond: 1 })],
  ["logs", slidingLog({ limit: 10, windowMs })],
  ["gauges", concurrency({ limit: 10 })],
];

/** Two that have counted for the same keys, given back some, and know of each other. */
function filled(policy: Policy): Member[] {
  const members = fleet([0, 0], [policy]);
  for (const member of members) {
    for (let key = 1; key <= KEYS; key++) {
      member.hit(key, 3);
      if (policy.kind === "concurrency") member.release(key);
      else member.refund(key);
    }
  }
  meet(members);
  return members;
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(cases)("a store of %s that is cleared", (_, policy) => {
  it("visits no key for that, however many there are", () => {
    const [member] = filled(policy);
    const looks = ["word", "take", "release", "setWord"].map((method) =>
      vi.spyOn(RecordPool.prototype, method as "word"),
    );
    member!.store.clear();
    expect(looks.reduce((sum, look) => sum + look.mock.calls.length, 0)).toBe(0);
  });

  it("keeps nothing that a new key could take for its own", () => {
    const [member, other] = filled(policy);
    const hitOnce = (): number[] => {
      member!.hit(1);
      return member!.view(1);
    };
    const sent = other!.sent();
    member!.store.clear();
    other!.store.clear();
    expect([member!.store.size, member!.knows(1), member!.held(1)]).toEqual([0, false, 0]);
    const anew = hitOnce();
    const [fresh] = fleet([0, 0], [policy]);
    fresh!.hit(1);
    expect(anew).toEqual(fresh!.view(1));
    // What others say is merged as if nothing had been known before.
    for (const each of [member!, fresh!]) each.joinAll(sent);
    for (const key of [1, 2, KEYS]) expect(member!.view(key)).toEqual(fresh!.view(key));
    for (const each of [member!, fresh!]) each.at(START_MS + 1_000).store.clear();
    expect(member!.view(1)).toEqual(fresh!.view(1));
  });
});
