/**
 * What was received and not merged, counted by its reason.
 *
 * Some reasons are normal, such as counts that arrive after their window has ended. Each reason
 * that should never occur is reported once, as an event for the operator.
 */

import {
  CLUSTER_EVENTS,
  type EventKind,
  type Report,
  WHICH_PROCESS,
} from "../../base/cluster-events.ts";
import type { JoinFault } from "../../store/store.ts";
import type { ReplyPartsFault } from "../anti-entropy/reply-parts.ts";
import type { Refusal } from "../envelope.ts";

/** Why a whole frame was refused. */
export type FrameFault =
  | Refusal
  /** Its sender is not known, and its clock is too far from the cluster's time to be admitted. */
  | "farClock"
  /** Frames arrived faster than they could be read. Their counts come again. */
  | "tooManyFrames"
  /** The same, and their counts do not come again. */
  | "lostCounts";

/** Why a part of a frame was not merged. */
export type PartFault =
  | JoinFault
  | ReplyPartsFault
  /** Counts of a limiter that this process does not have, or has with other policies. */
  | "unknownLimiter"
  /** Counts of a live replica by a third party, or of a replica that the frame has not named. */
  | "thirdParty"
  /** A reset or a mark too far ahead of the cluster's time. */
  | "farReset";

type RejectionEvent = readonly [kind: EventKind, sentence: string];

/** The events of reasons that should never occur. */
const FRAME_EVENTS: { readonly [Fault in FrameFault]?: RejectionEvent } = {
  malformed: [
    CLUSTER_EVENTS.framesMalformed,
    "frames arrive that tidegate did not write: something else publishes where this process listens. Give it another channel",
  ],
  version: [
    CLUSTER_EVENTS.framesVersion,
    "frames arrive of a version of tidegate that this one cannot read: use the same version in all processes",
  ],
  foreign: [
    CLUSTER_EVENTS.framesForeign,
    "frames arrive of another namespace or with another secret: give the same namespace and secret to all processes of a cluster, and another namespace to each other cluster",
  ],
  forged: [
    CLUSTER_EVENTS.framesForged,
    "frames arrive without the seal of this cluster: a process has no secret, or an attacker sends them. Give the secret to all processes",
  ],
  tooManyReplicas: [
    CLUSTER_EVENTS.tooManyReplicas,
    "there are more replicas than this process can know: frames of the latest ones are refused",
  ],
  farClock: [
    CLUSTER_EVENTS.framesFarClock,
    "a replica's frames are refused because its clock is more than ten minutes off, or because they are that old: set its clock. If its clock is right, an attacker may replay old frames",
  ],
  lostCounts: [
    CLUSTER_EVENTS.countsLost,
    "frames arrive so much faster than this process merges them that counts of evicted keys were lost: give this process less to do, or raise 'maxKeys' in the other processes",
  ],
};

/**
 * Reasons whose event names the sender, where that helps. The author of a forged frame can name
 * any.
 */
const NAMED: ReadonlySet<FrameFault> = new Set(["foreign", "forged", "farClock"]);

const PART_EVENTS: { readonly [Fault in PartFault]?: RejectionEvent } = {
  ahead: [
    CLUSTER_EVENTS.countsAhead,
    "counts arrive with times in the future: a clock is wrong, or an attacker makes counts up",
  ],
  impossible: [
    CLUSTER_EVENTS.countsImpossible,
    "counts arrive that no replica can have counted: an attacker or a defect makes them up",
  ],
  tooManyReplicas: [
    CLUSTER_EVENTS.tooManyReplicas,
    "counts arrive of more replicas than this process can know: some are not merged",
  ],
  tooManyComponents: [
    CLUSTER_EVENTS.tooManyCounts,
    "counts arrive that say thousands of replicas counted one key, or that one replica began it over and over: some of them are not merged",
  ],
  tooManyKeys: [
    CLUSTER_EVENTS.tooManyKeys,
    "other processes count more keys than fit in this one, so some of their counts are not merged here: raise 'maxKeys'",
  ],
  tooManyParts: [
    CLUSTER_EVENTS.tooManyAnswers,
    "more long sync replies arrive at a time than this process can gather: some are requested again. An attacker may make them up",
  ],
  farReset: [
    CLUSTER_EVENTS.resetAhead,
    "resets or blocks arrive from more than ten minutes ahead: a clock is wrong, or an attacker makes them up",
  ],
};

type Counts<Fault extends string> = { readonly [Reason in Fault]?: number };

export class Rejections {
  /** Frames, by reason. */
  readonly frames: Counts<FrameFault> = {};
  /** Parts of frames, about single keys and limiters, by reason. */
  readonly parts: Counts<PartFault> = {};
  readonly #report: Report;

  constructor(report: Report) {
    this.#report = report;
  }

  /** @param sender the sender that the frame names, if it has been opened */
  frame(why: FrameFault, sender = ""): void {
    this.#count(this.frames, why, FRAME_EVENTS[why], NAMED.has(why) ? sender : "");
  }

  part(why: PartFault): void {
    this.#count(this.parts, why, PART_EVENTS[why]);
  }

  #count(
    counts: Record<string, number>,
    why: string,
    event: RejectionEvent | undefined,
    sender = "",
  ): void {
    const before = counts[why] ?? 0;
    counts[why] = before + 1;
    if (before > 0 || event === undefined) return;
    const [kind, sentence] = event;
    const names = sender === "" ? "" : `. They name replica ${sender}: ${WHICH_PROCESS}`;
    this.#report(`${sentence}${names}`, kind);
  }
}
