/**
 * Notices when processes configure limiters of one name differently (config drift).
 *
 * Limiters with other limits still count together, and each process decides by its own limit: this
 * is how a rolling deploy changes a limit. Limiters with other windows or policies are different
 * limiters that do not count together. Operators never want that for one name.
 *
 * A misspelled name makes two limiters as well. Services that share a namespace have names of their
 * own on purpose. So it is only reported when no other replica has a name of this one, and another
 * replica has a name that is not here.
 */

import { CLUSTER_EVENTS, type EventKind, WHICH_PROCESS } from "../../base/cluster-events.ts";
import { shown } from "../../base/options.ts";
import type { WireLimiter } from "../../wire/control-sections.ts";
import type { Halves } from "../../wire/frame.ts";
import type { ReplicaContext } from "../replica-context.ts";
import type { ReplicatedLimiter } from "./replicated-limiter.ts";

/** How many limiters a heartbeat describes. */
const DESCRIBED_MAX = 4;
/** How many differences are remembered; more are not reported. */
const KNOWN_MAX = 256;
/**
 * How long no other replica describes a limiter that counts alone; all have described theirs by
 * then.
 */
const ALONE_MS = 60_000;
const NEVER = Number.POSITIVE_INFINITY;

export class ConfigDrift {
  readonly #context: ReplicaContext;
  readonly #known = new Set<string>();
  /** Since when no other replica has described a limiter that is here; never, if one has. */
  readonly #undescribedSinceMs = new WeakMap<ReplicatedLimiter, number>();
  /** Since when replicas have described limiters that are not here. */
  readonly #unknownSinceMs = new Map<string, number>();
  #next = 0;

  constructor(context: ReplicaContext) {
    this.#context = context;
  }

  /** The limiters that the next heartbeat describes; all get their turn. */
  described(): WireLimiter[] {
    const open = this.#context.replicatedLimiters.open();
    const first = this.#next % Math.max(1, open.length);
    this.#next = first + DESCRIBED_MAX;
    return [...open.slice(first), ...open.slice(0, first)]
      .slice(0, DESCRIBED_MAX)
      .map(({ nameTag: name, identity, holder: { limits } }) => ({ name, identity, limits }));
  }

  /** A replica's heartbeat describes some of its limiters. */
  received(replica: string, limiters: readonly WireLimiter[], now: number): void {
    const replicatedLimiters = this.#context.replicatedLimiters.open();
    let isAnyUnknown = false;
    for (const theirs of limiters) {
      const ours = replicatedLimiters.find(({ nameTag }) => isSame(nameTag, theirs.name));
      if (ours === undefined) {
        isAnyUnknown = true;
      } else {
        this.#undescribedSinceMs.set(ours, NEVER);
        this.#compare(ours, theirs, replica);
      }
    }
    if (isAnyUnknown) this.#lookForAlone(replica, replicatedLimiters, now);
  }

  #lookForAlone(
    replica: string,
    replicatedLimiters: readonly ReplicatedLimiter[],
    now: number,
  ): void {
    const unknownSinceMs = this.#unknownSinceMs.get(replica) ?? now;
    if (this.#unknownSinceMs.size >= KNOWN_MAX) this.#unknownSinceMs.clear();
    this.#unknownSinceMs.set(replica, unknownSinceMs);
    for (const replicated of replicatedLimiters) {
      const sinceMs = this.#undescribedSinceMs.get(replicated) ?? now;
      this.#undescribedSinceMs.set(replicated, sinceMs);
      if (now - Math.max(sinceMs, unknownSinceMs) < ALONE_MS) continue;
      this.#reportOnce(
        replicated.name,
        `limiter ${shown(replicated.name)} counts alone: for a minute no other replica has reported a limiter of this name, and replica ${replica} has reported one that is not here. Limiters count together by their 'name': compare it in all processes, and ignore this if no other process is meant to have it`,
        CLUSTER_EVENTS.limiterAlone,
      );
    }
  }

  #compare(ours: ReplicatedLimiter, theirs: WireLimiter, replica: string): void {
    const name = `limiter ${shown(ours.name)}`;
    if (!isSame(ours.identity, theirs.identity)) {
      const { low, high } = theirs.identity;
      this.#reportOnce(
        `${ours.name}:${low}:${high}`,
        `${name} has other policies, windows or slots at replica ${replica}, so they do not count together. It has ${inWords(ours)} here, and ${limits(theirs)} there: configure it alike; ${WHICH_PROCESS}`,
        CLUSTER_EVENTS.policiesDiffer,
      );
    } else if (ours.holder.limits.join() !== theirs.limits.join()) {
      const both = `${ours.holder.limits.join(", ")} here and ${theirs.limits.join(", ")}`;
      this.#reportOnce(
        `${ours.name}:${both}`,
        `${name} has a limit of ${both} at replica ${replica}: they count together, and each process decides by its own limit. Configure it alike unless a deploy is changing it`,
        CLUSTER_EVENTS.limitsDiffer,
      );
    }
  }

  #reportOnce(difference: string, sentence: string, kind: EventKind): void {
    if (this.#known.has(difference) || this.#known.size >= KNOWN_MAX) return;
    this.#known.add(difference);
    this.#context.report(sentence, kind);
  }
}

function inWords({ kinds, holder }: ReplicatedLimiter): string {
  return kinds.map((kind, policy) => `${holder.limits[policy]} by ${kind}`).join(", ");
}

function limits({ limits: [first, ...rest] }: WireLimiter): string {
  return rest.length === 0 ? `a limit of ${first}` : `limits of ${[first, ...rest].join(", ")}`;
}

function isSame(one: Halves, other: Halves): boolean {
  return one.low === other.low && one.high === other.high;
}
