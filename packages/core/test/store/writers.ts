/**
 * What honest replicas send: everything a few of them said in the course of a random history.
 *
 * Laws of joining are tested on it, because a component that no replica can have written proves
 * nothing. Snapshots overlap, so most components are in it several times, at several stages.
 */

import fc from "fast-check";
import type { Policy } from "../../src/policies/policy.ts";
import { type Carried, fleet, type Member, START_MS } from "./fleet.ts";

export const KEYS = [1, 2] as const;
const KEY_ARBITRARY = fc.constantFrom(...KEYS);
/** By writer: how far its clock is from true time. */
export const CLOCKS_MS = [0, 8_000_000, -3_000] as const;

export type Act = "hit" | "refund" | "release" | "reset" | "resetAll" | "evict" | "pass" | "hear";

export interface Deed {
  readonly act: Act;
  readonly writer: number;
  readonly key: number;
  readonly amount: number;
  /** Time that passes, in parts of a thousand of the policy's life. */
  readonly passes: number;
}

export function deeds(...acts: readonly Act[]): fc.Arbitrary<readonly Deed[]> {
  const deed: fc.Arbitrary<Deed> = fc.record({
    act: fc.constantFrom<Act>("hit", "hit", "hit", "pass", "hear", ...acts),
    writer: fc.nat(CLOCKS_MS.length - 1),
    key: KEY_ARBITRARY,
    amount: fc.integer({ min: 1, max: 4 }),
    passes: fc.nat(150),
  });
  return fc.array(deed, { minLength: 1, maxLength: 25, size: "max" });
}

export interface Told {
  readonly writers: readonly Member[];
  /** Whole states, one after another; what was given up under pressure is among them. */
  readonly snapshots: readonly (readonly Carried[])[];
  /** What changed, frame by frame: of all frames together the same as the whole. */
  readonly deltas: readonly (readonly Carried[])[];
  readonly endMs: number;
}

/** Goes through a history of writers that only sometimes merge each other's counts. */
export function tell(policies: readonly Policy[], lifeMs: number, story: readonly Deed[]): Told {
  const given: Carried[][] = [];
  const writers: readonly Member[] = fleet(CLOCKS_MS, policies, {
    evicted: (component, member) => given.push([member.carried(component)]) > 0,
  });
  const snapshots: (readonly Carried[])[] = [];
  const deltas: (readonly Carried[])[] = [];
  let endMs = START_MS;
  for (const { act, writer: index, key, amount, passes } of story) {
    const writer = writers[index]!;
    if (act === "pass") endMs += Math.round((passes * lifeMs) / 1_000);
    writer.at(endMs);
    if (act === "hit") writer.hit(key, amount);
    if (act === "refund") writer.refund(key, amount);
    if (act === "release") writer.release(key, amount);
    if (act === "reset") writer.reset(key);
    if (act === "resetAll") writer.store.resetAll();
    if (act === "evict" && writer.knows(key)) writer.evict(key);
    if (act === "hear") writer.joinAll((snapshots.at(-amount) ?? []).filter(isNotOf(writer)));
    const delta = [...given.splice(0).flat(), ...writer.sent(writer.store.closeFrame() - 1)];
    deltas.push(delta);
    snapshots.push([...delta, ...writer.sent()]);
  }
  return { writers, snapshots, deltas, endMs };
}

/** Another replica, to merge what was published. */
export function listener(policies: readonly Policy[], endMs: number): Member {
  const [member] = fleet([500, ...CLOCKS_MS], policies, { names: ["listener"] });
  return member!.at(endMs);
}

/** All that can be seen of all keys, now and later: the visible state of one store. */
export function visible(member: Member, endMs: number, lifeMs: number): number[][] {
  return [0, 0.1, 0.4, 0.7, 0.95].map((part) => {
    member.at(endMs + Math.round(part * lifeMs));
    return KEYS.flatMap((key) => member.view(key));
  });
}

function isNotOf(writer: Member): (component: Carried) => boolean {
  return ({ replica }) => replica !== writer.id;
}
