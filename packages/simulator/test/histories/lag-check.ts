/**
 * Holds replicas of a history to what `lagMs` promises: everything that a live replica had counted
 * so long ago is merged. And a fleet that disagrees for long must report it somewhere.
 *
 * It looks into stores, so it sees which replica lacks whose counts. It needs a history in which no
 * count ends, is reset or is evicted.
 */

import { showChanges } from "../../../core/test/store/changes.ts";
import type { Check, History, Member } from "../../src/index.ts";
import { replicaOf } from "./replica-of.ts";

/** What travelling may add to an age, as clocks are not known more exactly. */
const SLACK_MS = 250;
/** For how long replicas may disagree without reporting it, if one takes the other for dead. */
const SILENT_MS_MAX = 10_000;

/** The time between two looks. */
const LOOK_MS = 50;

/** Hits by key. */
type Totals = Map<string, number>;

interface Seen {
  readonly joinedAtMs: number;
  /** Until when the transport of others was busy, of which nothing had arrived. */
  readonly busyAtMs: Map<Member, number>;
  /** When it first took others to be alive. */
  readonly metAtMs: Map<Member, number>;
  /** When it last took others to be alive and told the truth about its lag. */
  readonly saidAtMs: Map<Member, number>;
  /** What it had counted of each key, and from when on. */
  readonly counted: Map<string, { readonly atMs: number; readonly total: number }[]>;
}

export class LagCheck implements Check {
  readonly name: string = "lagMs is the age of the oldest count that is missing";
  readonly #seen = new Map<Member, Seen>();
  #nowMs: number = Number.NEGATIVE_INFINITY;

  look(history: History): string | undefined {
    // To look into all stores takes long.
    if (history.nowMs < this.#nowMs + LOOK_MS) return undefined;
    this.#nowMs = history.nowMs;
    const members = history.replicated();
    for (const member of members) this.#take(member);
    for (const member of members) {
      for (const other of members) {
        const unsaid = member === other ? undefined : this.#unsaid(member, other);
        if (unsaid !== undefined) return unsaid;
      }
    }
    return undefined;
  }

  #unsaid(member: Member, other: Member): string | undefined {
    const missingMs = this.#oldestMissingMs(member, other);
    const { selfId } = replicaOf(other).replicas;
    const { lagMs, degraded, peers } = member.process.cluster.status();
    const isAlive = peers.some((peer) => peer.replica === selfId && peer.isAlive);
    const { metAtMs, saidAtMs, busyAtMs } = this.#seen.get(member)!;
    // Before its first frame arrives, nothing is known of what it may have counted.
    if (isAlive && !metAtMs.has(other)) metAtMs.set(other, this.#nowMs);
    if (!metAtMs.has(other) && other.process.isBusy) busyAtMs.set(other, this.#nowMs);
    const joinedAtMs = [member, other].map((each) => this.#seen.get(each)!.joinedAtMs);
    const knownAtMs = metAtMs.get(other) ?? busyAtMs.get(other) ?? 0;
    const togetherMs = this.#nowMs - Math.max(...joinedAtMs, knownAtMs);
    const isSaid = isAlive
      ? lagMs >= Math.min(missingMs, togetherMs - 2_000) - SLACK_MS
      : Math.min(missingMs, togetherMs, this.#nowMs - (saidAtMs.get(other) ?? 0)) < SILENT_MS_MAX ||
        degraded ||
        other.process.cluster.status().degraded;
    if (isAlive && isSaid) saidAtMs.set(other, this.#nowMs);
    if (isSaid) return undefined;
    const state = isAlive ? `lagMs is ${lagMs}` : "neither is degraded";
    return `a count of ${selfId} has been missing for ${missingMs} ms, and ${state}`;
  }

  #take(member: Member): void {
    const now = this.#nowMs;
    const seen = this.#seen.get(member) ?? {
      joinedAtMs: now,
      busyAtMs: new Map(),
      metAtMs: new Map(),
      saidAtMs: new Map(),
      counted: new Map(),
    };
    this.#seen.set(member, seen);
    for (const [key, total] of ownTotals(member)) {
      const counted = seen.counted.get(key) ?? [];
      if (total > (counted.at(-1)?.total ?? 0)) counted.push({ atMs: now, total });
      seen.counted.set(key, counted);
    }
  }

  /** How long ago another replica counted what one replica does not know; 0 if that is nothing. */
  #oldestMissingMs(member: Member, other: Member): number {
    const known = receivedTotals(member, replicaOf(other).replicas.selfId);
    let oldestMs = 0;
    for (const [key, counted] of this.#seen.get(other)!.counted) {
      const missing = counted.find(({ total }) => total > (known.get(key) ?? 0));
      if (missing !== undefined) oldestMs = Math.max(oldestMs, this.#nowMs - missing.atMs);
    }
    return oldestMs;
  }
}

function ownTotals(member: Member): Totals {
  const totals: Totals = new Map();
  for (const { store } of replicaOf(member).replicatedLimiters.all()) {
    showChanges(store, 0, (component) => add(totals, component));
  }
  return totals;
}

/** What a replica knows that another has counted. */
function receivedTotals(of: Member, id: string): Totals {
  const totals: Totals = new Map();
  const replica = replicaOf(of);
  const member = replica.members.find(id);
  if (member === undefined) return totals;
  for (const { store } of replica.replicatedLimiters.all()) {
    for (let record = 1; record < store.records.end; record++) {
      store.delta.emitRemote(record, member.index, 0, (component) => add(totals, component));
    }
  }
  return totals;
}

function add(totals: Totals, component: { low: number; high: number; hits: number }): void {
  const key = `${component.low}:${component.high}`;
  totals.set(key, (totals.get(key) ?? 0) + component.hits);
}
