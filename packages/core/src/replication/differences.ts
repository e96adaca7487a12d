/**
 * Notices when limiters of one name are set up in different ways in different processes.
 *
 * With other limits they count together all the same, and each process decides by its own: that is
 * how a limit is changed in a rolling deploy. With other windows or policies they are two limiters
 * that have nothing to do with each other, which nobody means by giving them one name.
 */

import { CLUSTER_EVENTS, type EventKind, type Report } from "../cluster-events.ts";
import { shown } from "../options.ts";
import type { WireLimiter } from "../wire/limiter-section.ts";
import type { Halves } from "../wire/seal.ts";
import type { Share } from "./share.ts";
import type { Shares } from "./shares.ts";

/** Limiters that a heartbeat tells of. */
const TOLD_MAX = 4;
/** Differences that are remembered; more are not reported. */
const KNOWN_MAX = 256;

export class Differences {
  readonly #shares: Shares;
  readonly #report: Report;
  readonly #known = new Set<string>();
  #next = 0;

  constructor(shares: Shares, report: Report) {
    this.#shares = shares;
    this.#report = report;
  }

  /** Limiters to tell others of; all have their turn. */
  told(): WireLimiter[] {
    const shares = this.#shares.open();
    const first = this.#next % Math.max(1, shares.length);
    this.#next = first + TOLD_MAX;
    const turned = [...shares.slice(first), ...shares.slice(0, first)].slice(0, TOLD_MAX);
    return turned.map(({ nameTag, identity, holder }) => {
      return { name: nameTag, identity, limits: holder.limits };
    });
  }

  /** A replica has told of some of its limiters. */
  heard(replica: string, limiters: readonly WireLimiter[]): void {
    for (const theirs of limiters) {
      for (const share of this.#shares.open()) {
        if (isSame(share.nameTag, theirs.name)) this.#compare(share, theirs, replica);
      }
    }
  }

  #compare(ours: Share, theirs: WireLimiter, replica: string): void {
    const name = `limiter ${shown(ours.name)}`;
    if (!isSame(ours.identity, theirs.identity)) {
      const { low, high } = theirs.identity;
      this.#say(
        `${ours.name}:${low}:${high}`,
        `${name} has other policies, windows or slots at replica ${replica}: they do not count together`,
        CLUSTER_EVENTS.policiesDiffer,
      );
    } else if (ours.holder.limits.join() !== theirs.limits.join()) {
      const limits = `${ours.holder.limits.join(", ")} here and ${theirs.limits.join(", ")}`;
      this.#say(
        `${ours.name}:${limits}`,
        `${name} has a limit of ${limits} at replica ${replica}: they count together, and each decides by its own`,
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

function isSame(one: Halves, other: Halves): boolean {
  return one.low === other.low && one.high === other.high;
}
