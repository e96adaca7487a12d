/**
 * Notices when limiters of one name are set up in different ways in different processes.
 *
 * With other limits they count together all the same, and each process decides by its own: that is
 * how a limit is changed in a rolling deploy. With other windows or policies they are two limiters
 * that have nothing to do with each other, which nobody means by giving them one name.
 *
 * A name that is spelled in two ways makes two limiters as well. Services that share a namespace have
 * names of their own on purpose, so that is only said of a name that no other replica has, where another
 * replica has one that is not here.
 */

import {
  CLUSTER_EVENTS,
  type EventKind,
  type Report,
  WHICH_PROCESS,
} from "../../base/cluster-events.ts";
import { shown } from "../../base/options.ts";
import type { WireLimiter } from "../../wire/limiter-section.ts";
import type { Halves } from "../../wire/seal.ts";
import type { ReplicatedLimiter } from "./replicated-limiter.ts";
import type { ReplicatedLimiters } from "./replicated-limiters.ts";

/** Limiters that a heartbeat tells of. */
const TOLD_MAX = 4;
/** ConfigDrift that are remembered; more are not reported. */
const KNOWN_MAX = 256;
/** How long no other replica tells of a limiter that counts alone; all have told of theirs by then. */
const ALONE_MS = 60_000;
const NEVER = Number.POSITIVE_INFINITY;

export class ConfigDrift {
  readonly #replicatedLimiters: ReplicatedLimiters;
  readonly #report: Report;
  readonly #known = new Set<string>();
  /** Since when no other replica has told of a limiter that is here; never, if one has. */
  readonly #untoldSinceMs = new WeakMap<ReplicatedLimiter, number>();
  /** Since when replicas have told of limiters that are not here. */
  readonly #strangeSinceMs = new Map<string, number>();
  #next = 0;

  constructor(replicatedLimiters: ReplicatedLimiters, report: Report) {
    this.#replicatedLimiters = replicatedLimiters;
    this.#report = report;
  }

  /** Limiters to tell others of; all have their turn. */
  told(): WireLimiter[] {
    const replicatedLimiters = this.#replicatedLimiters.open();
    const first = this.#next % Math.max(1, replicatedLimiters.length);
    this.#next = first + TOLD_MAX;
    const turned = [
      ...replicatedLimiters.slice(first),
      ...replicatedLimiters.slice(0, first),
    ].slice(0, TOLD_MAX);
    return turned.map(({ nameTag, identity, holder }) => {
      return { name: nameTag, identity, limits: holder.limits };
    });
  }

  /** A replica has told of some of its limiters. */
  heard(replica: string, limiters: readonly WireLimiter[], now: number): void {
    const replicatedLimiters = this.#replicatedLimiters.open();
    let isAnyStrange = false;
    for (const theirs of limiters) {
      const ours = replicatedLimiters.find(({ nameTag }) => isSame(nameTag, theirs.name));
      if (ours === undefined) {
        isAnyStrange = true;
      } else {
        this.#untoldSinceMs.set(ours, NEVER);
        this.#compare(ours, theirs, replica);
      }
    }
    if (isAnyStrange) this.#lookForAlone(replica, replicatedLimiters, now);
  }

  #lookForAlone(
    replica: string,
    replicatedLimiters: readonly ReplicatedLimiter[],
    now: number,
  ): void {
    const strangeSinceMs = this.#strangeSinceMs.get(replica) ?? now;
    if (this.#strangeSinceMs.size >= KNOWN_MAX) this.#strangeSinceMs.clear();
    this.#strangeSinceMs.set(replica, strangeSinceMs);
    for (const replicated of replicatedLimiters) {
      const sinceMs = this.#untoldSinceMs.get(replicated) ?? now;
      this.#untoldSinceMs.set(replicated, sinceMs);
      if (now - Math.max(sinceMs, strangeSinceMs) < ALONE_MS) continue;
      this.#say(
        replicated.name,
        `limiter ${shown(replicated.name)} counts alone: for a minute no other replica has told of a limiter of this name, and replica ${replica} has told of one that is not here. Limiters count together by their 'name': compare it in all processes, and ignore this if no other is meant to have it`,
        CLUSTER_EVENTS.limiterAlone,
      );
    }
  }

  #compare(ours: ReplicatedLimiter, theirs: WireLimiter, replica: string): void {
    const name = `limiter ${shown(ours.name)}`;
    if (!isSame(ours.identity, theirs.identity)) {
      const { low, high } = theirs.identity;
      this.#say(
        `${ours.name}:${low}:${high}`,
        `${name} has other policies, windows or slots at replica ${replica}: they do not count together. It has ${inWords(ours)} here, and ${limits(theirs)} there; ${WHICH_PROCESS}`,
        CLUSTER_EVENTS.policiesDiffer,
      );
    } else if (ours.holder.limits.join() !== theirs.limits.join()) {
      const both = `${ours.holder.limits.join(", ")} here and ${theirs.limits.join(", ")}`;
      this.#say(
        `${ours.name}:${both}`,
        `${name} has a limit of ${both} at replica ${replica}: they count together, and each decides by its own`,
        CLUSTER_EVENTS.limitsDiffer,
      );
    }
  }

  #say(difference: string, sentence: string, kind: EventKind): void {
    if (this.#known.has(difference) || this.#known.size >= KNOWN_MAX) return;
    this.#known.add(difference);
    this.#report(sentence, kind);
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
