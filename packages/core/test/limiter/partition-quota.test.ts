import { describe, expect, it } from "vitest";
import { Decider } from "../../src/limiter/decider.ts";
import { PartitionQuota } from "../../src/limiter/partition-quota.ts";
import { fixedWindow } from "../../src/policies/fixed-window.ts";
import type { Separation } from "../../src/protocol/membership/partition-detector.ts";
import { Replicas } from "../../src/store/replicas/replicas.ts";
import { makeRule } from "../../src/store/shapes/make-rule.ts";
import { Store } from "../../src/store/store.ts";
import { numberOf } from "../../src/store/table/record-id.ts";

const POLICY = fixedWindow({ limit: 30, windowMs: 60_000 });
const CUT: Separation = { kind: "partition", replicas: 2, number: 1 };
const ADA = 1;
const GRACE = 2;

function member(id: string) {
  const section = makeRule(POLICY, true);
  const replicas = new Replicas(id);
  const store = new Store([section], { replicas, keysMax: 10, keepMs: 60_000, seed: 1 });
  store.advance(1_000_000, 1_000_000);
  const partitionQuota = new PartitionQuota("share", "share", store.keysMax);
  const decider = new Decider(store, [section.rule(store.shapes[0]!)], [POLICY], partitionQuota);
  const check = (key: number, separation: Separation | null, cost = 1) =>
    decider.decide("check", key, ~key, cost, undefined, separation);
  return { store, replicas, check };
}

type Member = ReturnType<typeof member>;

/** Merges what the replica "other" has counted for a key. */
function merge(other: Member, here: Member, key: number): void {
  const { store } = other;
  store.delta.emit(numberOf(store.find(key, ~key)), (component) => {
    const replica = here.replicas.indexOf("other");
    here.store.join({ ...component, replica, opener: replica });
  });
}

describe("a disconnected replica, with onPartition: share", () => {
  it("gives a merged key a share of its own, whatever record it gets", () => {
    const here = member("here");
    const other = member("other");
    here.check(ADA, null);
    here.check(ADA, CUT);
    const record = here.store.find(ADA, ~ADA);
    here.store.evict(record);
    other.check(GRACE, null, 20);
    merge(other, here, GRACE);
    expect(here.store.find(GRACE, ~GRACE)).toBe(record);
    expect(here.check(GRACE, CUT)).toMatchObject({ allowed: true, used: 21, remaining: 4 });
  });

  it("reads the used part again in the next partition", () => {
    const partitionQuota = new PartitionQuota("share", "share", 9);
    const ada = { key: ADA, hasRecord: true };
    expect(partitionQuota.limitOf(CUT, ada, 0, 30, 20)).toBe(25);
    expect(partitionQuota.limitOf(CUT, ada, 0, 30, 28)).toBe(25);
    expect(partitionQuota.limitOf({ ...CUT, number: 2 }, ada, 0, 30, 28)).toBe(29);
  });

  it("remembers at most maxKeys keys, and gives others a safe share of the whole limit", () => {
    const partitionQuota = new PartitionQuota("share", "share", 1);
    const shareOf = (key: number) =>
      partitionQuota.limitOf(CUT, { key, hasRecord: true }, 0, 30, 20);
    expect([shareOf(ADA), shareOf(GRACE), shareOf(ADA)]).toEqual([25, 15, 25]);
    partitionQuota.begin({ ...CUT, number: 2 }, GRACE, 0);
    expect(
      partitionQuota.limitOf({ ...CUT, number: 2 }, { key: GRACE, hasRecord: true }, 0, 30, 4),
    ).toBe(15);
  });
});
