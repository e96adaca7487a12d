/**
 * Whether this replica is cut off from others that it knows: the partition detector.
 *
 * A transport that is away for a moment is believed, even before any other replica is heard. Otherwise
 * a partition is assumed when at least half of the replicas that were heard at the same time fall silent
 * within ten seconds and say no goodbye, or report that they do not hear this one. A rolling deploy looks
 * different. A single silence among several replicas is a crash. With a single other replica, a crash
 * and a partition look the same, and a partition is assumed.
 *
 * A killed process and its replacement are never heard at the same time, so both count once:
 *
 *     A  ├──────┤                 heard until it is killed
 *     A'           ├────────┤     its replacement
 *     B  ├──────────────────┤     heard all the time: two replicas at once, never three
 *
 * The cut ends when as many others are heard as at its beginning, when what is still silent would not be
 * taken for a cut, or when the silent replicas are forgotten.
 */

import { CLUSTER_EVENTS, type EventKind } from "../../base/cluster-events.ts";
import { HEARTBEAT_MS } from "./heartbeat-schedule.ts";
import type { Member } from "./member.ts";
import type { Membership } from "./membership.ts";

/** Transports may change hands for so long, as when the process that relays for others leaves. */
const GRACE_MS = 250;
/** Silences that begin further apart than this have nothing to do with each other. */
const TOGETHER_MS = 10_000;
/** A process does not start in less; what is known of another's clock is off by less. */
const RESTART_MS = 250;
/** In which those return that are not dead, once the first of them have. */
const RETURN_MS = 4_000;
/** A replica that has sent nothing for so long has missed a heartbeat. */
const OVERDUE_MS = HEARTBEAT_MS + 250;

const LATER = Number.POSITIVE_INFINITY;

/** What a replica may do while it does not hear the others. */
export const SEPARATED_MODES = ["open", "share", "closed"] as const;
export type SeparatedMode = (typeof SEPARATED_MODES)[number];

/** That a replica does not hear the others. */
export interface Separation {
  /** Cut off from those that it knows, or just come and not yet told. */
  readonly kind: "cut" | "cold";
  /** How many replicas share the limits, this one included. */
  readonly replicas: number;
  /** Tells one time from another. */
  readonly number: number;
}

export class PartitionDetector {
  isCut = false;
  /** How many replicas there were when it began, this one included. */
  known = 1;
  /** How often it has begun. */
  cuts = 0;

  /** When to look again, since the transport has just gone away. */
  dueAtMs: number = Number.POSITIVE_INFINITY;

  /** The others that were heard at the same time when a cut began; outside of a cut, those heard of late. */
  #expected = new Set<Member>();
  #missing = 0;
  #presentCount = 0;
  /** Until when the rest of the silent replicas may return. */
  #healsAtMs: number = LATER;
  #cause: "silence" | "transport" | "clock" = "silence";

  get kind(): EventKind {
    if (!this.isCut) return CLUSTER_EVENTS.reunited;
    if (this.#cause === "clock") return CLUSTER_EVENTS.clockRefused;
    return this.#cause === "transport" ? CLUSTER_EVENTS.disconnected : CLUSTER_EVENTS.partitioned;
  }

  /**
   * How it is, for an operator.
   *
   * @param trouble why the transport is away, as far as it has said
   */
  sentence(trouble?: string): string {
    const others = this.known - 1;
    if (!this.isCut) return this.#sentenceAtEnd;
    const replicas = `other replica${others === 1 ? "" : "s"}`;
    if (this.#cause === "clock") {
      return `this process and ${others} ${replicas} do not all hear each other, because their clocks differ by more than ten minutes: limiters decide as 'onPartition' says`;
    }
    const why = trouble === undefined ? "" : ` (${trouble})`;
    const away = this.#cause === "transport" ? `the transport is not connected${why}: ` : "";
    const whom = this.#missing < others ? `${this.#missing} of ${others}` : String(others);
    const cut = others === 0 ? "" : `cut off from ${whom} ${replicas}${away ? ", " : ": "}`;
    return `${away}${cut}limiters decide as 'onPartition' says`;
  }

  get #sentenceAtEnd(): string {
    if (this.#presentCount === 0) {
      return this.known === 1
        ? "connected: no other replica has been heard yet"
        : "the silent replicas are forgotten: this one counts alone";
    }
    if (this.#missing === 0) return "the other replicas are heard again";
    const are = this.#presentCount === 1 ? "replica is" : "replicas are";
    return `${this.#presentCount} other ${are} heard: limiters count with them again`;
  }

  /** What keeps this replica apart from the others, if anything does. */
  separation(isCold: boolean, aliveCount: number): Separation | null {
    if (this.isCut) return { kind: "cut", replicas: this.known, number: this.cuts };
    return isCold ? { kind: "cold", replicas: aliveCount, number: 0 } : null;
  }

  /**
   * Looks again; returns whether anything has changed.
   *
   * @param isNew whether this replica has just come, and may yet be connected
   * @param apart how many others do not hear this replica for its clock, or are not heard for theirs
   */
  look(
    now: number,
    isConnected: boolean,
    isNew: boolean,
    members: Membership,
    apart: number = 0,
  ): boolean {
    const mayBeAway = !isConnected && !this.isCut && !(isNew && this.#expected.size === 0);
    this.dueAtMs = mayBeAway ? Math.min(this.dueAtMs, now + GRACE_MS) : Number.POSITIVE_INFINITY;
    const isAway = now >= this.dueAtMs;
    const present = Array.from(members.all()).filter(({ isStoreState }) => isStoreState);
    const expected = Array.from(this.#expected).filter(
      (member) => !member.hasLeft && members.find(member.id) === member,
    );
    const missing = expected.filter(({ isStoreState }) => !isStoreState);
    this.#presentCount = present.length;
    if (this.isCut) {
      this.#missing = missing.length;
      if (!isConnected || apart > 0 || !this.#isHealed(now, expected, present)) return false;
      this.isCut = false;
      this.#expected = new Set(present);
      return true;
    }
    const together = missing.filter(({ heardAtMs }) => now - heardAtMs < TOGETHER_MS);
    const recent = [...present, ...together];
    const atOnce = heardAtOnce(recent, now - OVERDUE_MS);
    const lost = atOnce.filter(({ isStoreState }) => !isStoreState).length;
    const isCutOff = looksLikeCut(lost, atOnce.length);
    this.#expected = new Set(isCutOff || isAway ? atOnce : recent);
    if (!isCutOff && !isAway && apart === 0) return false;
    this.isCut = true;
    this.#cause = isAway ? "transport" : isCutOff ? "silence" : "clock";
    this.#healsAtMs = LATER;
    this.#missing = isAway ? atOnce.length : lost;
    this.cuts++;
    this.known = Math.max(atOnce.length, apart) + 1;
    return true;
  }

  /** Whether a cut is over, as far as silence goes. */
  #isHealed(now: number, expected: readonly Member[], present: readonly Member[]): boolean {
    // Some of the present replicas may be dead, and silent for too short to be missing.
    if (this.#missing === 0 || heardAtOnce(present).length >= expected.length) return true;
    const isHealing = !looksLikeCut(this.#missing, expected.length);
    this.#healsAtMs = isHealing ? Math.min(this.#healsAtMs, now + RETURN_MS) : LATER;
    return now >= this.#healsAtMs;
  }
}

/** Whether so many silent replicas look like a partition rather than like crashes. */
function looksLikeCut(silent: number, of: number): boolean {
  const isSingleCrash = silent === 1 && of > 1;
  return silent > 0 && 2 * silent >= of && !isSingleCrash;
}

/**
 * The most members that were heard at the same time; of several such sets, the latest.
 *
 * @param aliveSinceMs a member that has sent a frame since then is taken to be heard still
 */
function heardAtOnce(
  members: readonly Member[],
  aliveSinceMs = Number.POSITIVE_INFINITY,
): Member[] {
  const spans = members.map((member) => {
    const { heardSinceMs, lastSentMs } = member;
    const isHeardStill = member.isAlive && lastSentMs >= aliveSinceMs;
    const to = isHeardStill ? Number.POSITIVE_INFINITY : lastSentMs - RESTART_MS;
    // All that is heard of a dead replica may have been sent before, and passed on by others.
    return { member, from: Math.min(heardSinceMs, to), to };
  });
  const ends = spans.map(({ to }) => to).sort((left, right) => left - right);
  spans.sort((left, right) => left.from - right.from);
  let most = 0;
  let atMs = 0;
  let ended = 0;
  for (const [index, { from }] of spans.entries()) {
    while (ends[ended]! < from) ended++;
    const count = index + 1 - ended;
    if (count < most) continue;
    most = count;
    atMs = from;
  }
  return spans.filter(({ from, to }) => from <= atMs && atMs <= to).map(({ member }) => member);
}
