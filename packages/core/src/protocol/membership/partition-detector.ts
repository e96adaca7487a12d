/**
 * The partition detector: whether this replica is partitioned from members that it knows.
 *
 * A transport that reports that it is not connected is believed, even before any other replica is
 * received. Otherwise the detector looks at the replicas that were received at the same time. It
 * assumes a partition when at least half of them fall silent within ten seconds without leaving, or
 * report that they do not receive this one. A rolling deploy looks different. A single silence
 * among several replicas is a crash. With a single other replica, a crash and a partition look the
 * same: a partition is assumed.
 *
 * A killed process and its replacement are never received at the same time, so both count once:
 *
 *     A  ├──────┤                 received until it is killed
 *     A'           ├────────┤     its replacement
 *     B  ├──────────────────┤     received all the time: two replicas at once, never three
 *
 * The partition ends when as many members are received as at its beginning. It also ends when so
 * few are still silent that they would not make a partition, and when the silent replicas are
 * forgotten.
 */

import { CLUSTER_EVENTS, type EventKind } from "../../base/cluster-events.ts";
import type { ClockAgreement } from "../clock/clock-agreement.ts";
import type { ReplicaContext } from "../replica-context.ts";
import { HEARTBEAT_MS } from "./heartbeat-schedule.ts";
import type { InitialSync } from "./initial-sync.ts";
import type { Member } from "./member.ts";

/** How long a transport may be away, for example when the process that relays for others leaves. */
const GRACE_MS = 250;
/** Silences that begin further apart than this are not related. */
const TOGETHER_MS = 10_000;
/** A process does not start in less; what is known of another's clock is off by less. */
const RESTART_MS = 250;
/** Once the first silent replicas return, the live ones return within this time. */
const RETURN_MS = 4_000;
/** A replica that has sent nothing for so long has missed a heartbeat. */
const OVERDUE_MS = HEARTBEAT_MS + 250;

const LATER = Number.POSITIVE_INFINITY;

/** What a replica may do while it is partitioned or just starts. */
export const SEPARATED_MODES = ["open", "share", "closed"] as const;
export type SeparatedMode = (typeof SEPARATED_MODES)[number];

/** That this replica does not receive other replicas. */
export interface Separation {
  /**
   * `partition`: partitioned from members that it knows. `cold`: just started, before its initial sync.
   */
  readonly kind: "partition" | "cold";
  /** How many replicas share the limits, this one included. */
  readonly replicas: number;
  /** Distinguishes one partition from the next. */
  readonly number: number;
}

export class PartitionDetector {
  isPartitioned = false;
  /** How many partitions have begun. */
  partitions = 0;
  /** How many replicas there were when the last one began, this one included. */
  known = 1;
  /** What separates this replica from the others, if anything does. Requests read it. */
  separation: Separation | null = null;
  /** When to look again before the next heartbeat, since the transport has just gone away. */
  dueAtMs: number = LATER;

  readonly #context: ReplicaContext;
  readonly #initialSync: InitialSync;
  readonly #agreement: ClockAgreement;
  /** The members received at the same time when the partition began; otherwise, those of late. */
  #expected = new Set<Member>();
  #missing = 0;
  #presentCount = 0;
  /** Until when the rest of the silent replicas may return. */
  #healsAtMs: number = LATER;
  #cause: "silence" | "transport" | "clock" = "silence";

  constructor(context: ReplicaContext, initialSync: InitialSync, agreement: ClockAgreement) {
    this.#context = context;
    this.#initialSync = initialSync;
    this.#agreement = agreement;
  }

  /** Looks again, and reports a change. */
  look(now: number): void {
    const { sender, report } = this.#context;
    const { isConnected, trouble } = sender.transport;
    if (!this.#hasChanged(now, isConnected)) return;
    this.settle();
    report(this.#sentence(trouble), this.#kind);
  }

  /** Derives from the state what requests read. */
  settle(): void {
    const { isCold } = this.#initialSync;
    const { aliveCount } = this.#context.replicas;
    if (this.isPartitioned)
      this.separation = { kind: "partition", replicas: this.known, number: this.partitions };
    else this.separation = isCold ? { kind: "cold", replicas: aliveCount, number: 0 } : null;
  }

  get #kind(): EventKind {
    if (!this.isPartitioned) return CLUSTER_EVENTS.reunited;
    if (this.#cause === "clock") return CLUSTER_EVENTS.clockRefused;
    return this.#cause === "transport" ? CLUSTER_EVENTS.disconnected : CLUSTER_EVENTS.partitioned;
  }

  /**
   * The state, in a sentence for an operator.
   *
   * @param trouble why the transport is away, as far as it reports
   */
  #sentence(trouble?: string): string {
    const others = this.known - 1;
    if (!this.isPartitioned) return this.#sentenceAtEnd;
    const replicas = `other replica${others === 1 ? "" : "s"}`;
    if (this.#cause === "clock") {
      return `the clocks of this process and of ${others} ${replicas} differ by more than ten minutes, so they refuse each other's frames: limiters decide as 'onPartition' says. Set the clocks`;
    }
    const why = trouble === undefined ? "" : ` (${trouble})`;
    const away = this.#cause === "transport" ? `the transport is not connected${why}: ` : "";
    const whom = this.#missing < others ? `${this.#missing} of ${others}` : String(others);
    const partition = `this process is partitioned from ${whom} ${replicas}`;
    if (away === "")
      return `${partition}: limiters decide as 'onPartition' says. Check the network, and that they run`;
    return `${away}${others === 0 ? "" : `${partition}, and `}limiters decide as 'onPartition' says`;
  }

  get #sentenceAtEnd(): string {
    if (this.#presentCount === 0) {
      return this.known === 1
        ? "the transport is connected: no frame of another replica has arrived yet"
        : "the silent replicas are forgotten: this process counts alone";
    }
    if (this.#missing === 0) return "frames of all other replicas arrive again";
    const are = `${this.#presentCount} other replica${this.#presentCount === 1 ? "" : "s"}`;
    return `frames of ${are} arrive: limiters count together with them again`;
  }

  #hasChanged(now: number, isConnected: boolean): boolean {
    const { members } = this.#context;
    const clocksApart = this.#agreement.countApart(now);
    // The transport of a replica that has just started may yet connect.
    const isNew = this.#initialSync.isCold && this.#expected.size === 0;
    const mayBeAway = !isConnected && !this.isPartitioned && !isNew;
    this.dueAtMs = mayBeAway ? Math.min(this.dueAtMs, now + GRACE_MS) : LATER;
    const isAway = now >= this.dueAtMs;
    const present = Array.from(members.all()).filter(({ isPresent }) => isPresent);
    const expected = Array.from(this.#expected).filter(
      (member) => !member.hasLeft && members.find(member.id) === member,
    );
    const missing = expected.filter(({ isPresent }) => !isPresent);
    this.#presentCount = present.length;
    if (this.isPartitioned) {
      this.#missing = missing.length;
      if (!isConnected || clocksApart > 0 || !this.#isHealed(now, expected, present)) return false;
      this.isPartitioned = false;
      this.#expected = new Set(present);
      return true;
    }
    const together = missing.filter(({ lastReceivedMs }) => now - lastReceivedMs < TOGETHER_MS);
    const recent = [...present, ...together];
    const atOnce = receivedTogether(recent, now - OVERDUE_MS);
    const lost = atOnce.filter(({ isPresent }) => !isPresent).length;
    const isSilence = looksLikePartition(lost, atOnce.length);
    this.#expected = new Set(isSilence || isAway ? atOnce : recent);
    if (!isSilence && !isAway && clocksApart === 0) return false;
    this.isPartitioned = true;
    this.dueAtMs = LATER;
    this.#cause = isAway ? "transport" : isSilence ? "silence" : "clock";
    this.#healsAtMs = LATER;
    this.#missing = isAway ? atOnce.length : lost;
    this.partitions++;
    this.known = Math.max(atOnce.length, clocksApart) + 1;
    return true;
  }

  /** Whether the partition is over, as far as silence shows. */
  #isHealed(now: number, expected: readonly Member[], present: readonly Member[]): boolean {
    // Some of the present replicas may be dead, and silent for too short to be missing.
    if (this.#missing === 0 || receivedTogether(present).length >= expected.length) return true;
    const isHealing = !looksLikePartition(this.#missing, expected.length);
    this.#healsAtMs = isHealing ? Math.min(this.#healsAtMs, now + RETURN_MS) : LATER;
    return now >= this.#healsAtMs;
  }
}

/** Whether so many silent replicas look like a partition rather than like crashes. */
function looksLikePartition(silent: number, of: number): boolean {
  const isSingleCrash = silent === 1 && of > 1;
  return silent > 0 && 2 * silent >= of && !isSingleCrash;
}

/**
 * The most members that were received at the same time; of several such sets, the latest.
 *
 * @param aliveSinceMs a member that has sent a frame since then is taken to be alive still
 */
function receivedTogether(members: readonly Member[], aliveSinceMs = LATER): Member[] {
  const spans = members.map((member) => {
    const { receivedSinceMs, lastSentMs } = member;
    const isStillReceived = member.isAlive && lastSentMs >= aliveSinceMs;
    const to = isStillReceived ? LATER : lastSentMs - RESTART_MS;
    // All frames of a dead replica may have been sent before, and relayed by other replicas.
    return { member, from: Math.min(receivedSinceMs, to), to };
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
