/**
 * Holds replicas of a history to what `lagMs` promises: everything that a live replica had counted
 * so long ago is merged. And a fleet that disagrees for long must report it somewhere.
 *
 * It looks into stores, so it sees which replica lacks whose counts. It needs a history in which no
 * count ends, is reset or is evicted.
 */

import { statusOf } from "../../../src/cluster/cluster-status.ts";
import { showChanges } from "../../store/changes.ts";
import type { SimulatedFleet, SimulatedReplica } from "./simulated-fleet.ts";

/** What travelling may add to an age, as clocks are not known more exactly. */
const SLACK_MS = 250;
/** For how long replicas may disagree without reporting it, if one takes the other for dead. */
const SILENT_MS_MAX = 10_000;

/** Hits by key. */
type Totals = Map<string, number>;

interface Seen {
  readonly joinedAtMs: number;
  /** When it first took others to be alive. */
  readonly metAtMs: Map<SimulatedReplica, number>;
  /** When it last took others to be alive and told the truth about its lag. */
  readonly saidAtMs: Map<SimulatedReplica, number>;
  /** What it had counted of each key, and from when on. */
  readonly counted: Map<string, { readonly atMs: number; readonly total: number }[]>;
}

export class LagCheck {
  readonly #seen = new Map<SimulatedReplica, Seen>();
  readonly #now: () => number;
  /** The largest age of a count that was missing. */
  oldestMissingMs = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Looks at all replicas; returns what any of them should have reported. */
  look({ replicas }: SimulatedFleet): string[] {
    for (const replica of replicas) this.#take(replica);
    return replicas.flatMap((replica) =>
      replicas.flatMap((other) => {
        if (other === replica) return [];
        const missingMs = this.#oldestMissingMs(replica, other);
        this.oldestMissingMs = Math.max(this.oldestMissingMs, missingMs);
        return this.#unsaid(replica, other, missingMs);
      }),
    );
  }

  #unsaid(replica: SimulatedReplica, other: SimulatedReplica, missingMs: number): string[] {
    const { selfId } = other.replica.replicas;
    const { lagMs, degraded, peers } = statusOf(replica.driver);
    const isAlive = peers.some((peer) => peer.replica === selfId && peer.isAlive);
    const { metAtMs, saidAtMs } = this.#seen.get(replica)!;
    // Before its first frame arrives, nothing is known of what it may have counted.
    if (isAlive && !metAtMs.has(other)) metAtMs.set(other, this.#now());
    const joinedAtMs = [replica, other].map((each) => this.#seen.get(each)!.joinedAtMs);
    const togetherMs = this.#now() - Math.max(...joinedAtMs, metAtMs.get(other) ?? 0);
    const isSaid = isAlive
      ? lagMs >= Math.min(missingMs, togetherMs - 2_000) - SLACK_MS
      : Math.min(missingMs, togetherMs, this.#now() - (saidAtMs.get(other) ?? 0)) < SILENT_MS_MAX ||
        degraded ||
        statusOf(other.driver).degraded;
    if (isAlive && isSaid) saidAtMs.set(other, this.#now());
    if (isSaid) return [];
    const state = isAlive ? `lagMs is ${lagMs}` : "neither is degraded";
    return [`a count of ${selfId} has been missing for ${missingMs} ms, and ${state}`];
  }

  #take(replica: SimulatedReplica): void {
    const now = this.#now();
    const seen = this.#seen.get(replica) ?? {
      joinedAtMs: now,
      metAtMs: new Map(),
      saidAtMs: new Map(),
      counted: new Map(),
    };
    this.#seen.set(replica, seen);
    for (const [key, total] of ownTotals(replica)) {
      const counted = seen.counted.get(key) ?? [];
      if (total > (counted.at(-1)?.total ?? 0)) counted.push({ atMs: now, total });
      seen.counted.set(key, counted);
    }
  }

  /** How long ago another replica counted what one replica does not know; 0 if that is nothing. */
  #oldestMissingMs(replica: SimulatedReplica, other: SimulatedReplica): number {
    const known = receivedTotals(replica, other.replica.replicas.selfId);
    let oldestMs = 0;
    for (const [key, counted] of this.#seen.get(other)!.counted) {
      const missing = counted.find(({ total }) => total > (known.get(key) ?? 0));
      if (missing !== undefined) oldestMs = Math.max(oldestMs, this.#now() - missing.atMs);
    }
    return oldestMs;
  }
}

function ownTotals({ replica }: SimulatedReplica): Totals {
  const totals: Totals = new Map();
  for (const { store } of replica.replicatedLimiters.all()) {
    showChanges(store, 0, (component) => add(totals, component));
  }
  return totals;
}

/** What a replica knows that another has counted. */
function receivedTotals({ replica }: SimulatedReplica, id: string): Totals {
  const totals: Totals = new Map();
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
