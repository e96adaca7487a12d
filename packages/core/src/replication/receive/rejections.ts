/**
 * What was heard and not merged, counted by its reason.
 *
 * Some reasons are everyday life, such as counts that come after their window has ended. Those that
 * should never happen are said once in words, for whoever operates the process.
 */

import {
  CLUSTER_EVENTS,
  type EventKind,
  type Report,
  WHICH_PROCESS,
} from "../../base/cluster-events.ts";
import type { JoinFault } from "../../store/delta/merge-guard.ts";
import type { ReplyPartsFault } from "../anti-entropy/reply-parts-budget.ts";
import type { Refusal } from "../envelope.ts";

/** Why a whole frame was not believed. */
export type FrameFault =
  | Refusal
  /** Its sender was not known, and has a clock too far from the cluster's to be let in. */
  | "farClock"
  /** Frames came faster than they could be read; what they said comes again. */
  | "tooManyFrames"
  /** The same, and they had counts that do not come again. */
  | "lostCounts";

/** Why something that a frame said was not merged. */
export type PartFault =
  | JoinFault
  | ReplyPartsFault
  /** Counts of a limiter that this process does not have, or has with other policies. */
  | "unknownLimiter"
  /** Counts of a replica that speaks for itself, or that nobody has named. */
  | "hearsay"
  /** A reset or a mark that lies too far ahead of the cluster's time. */
  | "farReset";

type Said = readonly [kind: EventKind, sentence: string];

/** What is reported of those that should never happen. */
const FRAME_EVENTS: { readonly [Fault in FrameFault]?: Said } = {
  malformed: [
    CLUSTER_EVENTS.framesMalformed,
    "frames come that no tidegate writes: something else is published where this listens",
  ],
  version: [
    CLUSTER_EVENTS.framesVersion,
    "frames come of a version of tidegate that this one cannot read: use the same everywhere",
  ],
  foreign: [
    CLUSTER_EVENTS.framesForeign,
    "frames come of another namespace or with another secret: give both alike to all processes of a cluster, and other clusters another namespace",
  ],
  forged: [
    CLUSTER_EVENTS.framesForged,
    "frames come without the seal of this cluster: either some process was not given the secret, or somebody else sends them",
  ],
  tooManyReplicas: [
    CLUSTER_EVENTS.tooManyReplicas,
    "there are more replicas than can be kept apart: those that came last are not heard",
  ],
  farClock: [
    CLUSTER_EVENTS.framesFarClock,
    "a replica is not heard because its clock is more than ten minutes off, or its frames are as old: set its clock, or look who sends old frames again",
  ],
  lostCounts: [
    CLUSTER_EVENTS.countsLost,
    "frames come so much faster than they can be read that counts of evicted keys were lost: give this process less to do, or raise 'maxKeys' of the others",
  ],
};

/** Where it helps to know whose frames they are; the author of a forged frame can name any replica. */
const NAMED: ReadonlySet<FrameFault> = new Set(["foreign", "forged", "farClock"]);

const PART_EVENTS: { readonly [Fault in PartFault]?: Said } = {
  ahead: [
    CLUSTER_EVENTS.countsAhead,
    "counts come of times that have not been yet: a clock is wrong, or somebody makes counts up",
  ],
  impossible: [
    CLUSTER_EVENTS.countsImpossible,
    "counts come that no replica can have counted: somebody makes them up",
  ],
  tooManyReplicas: [
    CLUSTER_EVENTS.tooManyReplicas,
    "counts come of more replicas than can be kept apart: some are not merged",
  ],
  tooManyComponents: [
    CLUSTER_EVENTS.tooManyCounts,
    "a key is said to have been counted by thousands, or anew over and over by one replica: some of that is not merged",
  ],
  tooManyKeys: [
    CLUSTER_EVENTS.tooManyKeys,
    "others count more keys than there is room for here: raise 'maxKeys', or what they counted is not known",
  ],
  tooManyParts: [
    CLUSTER_EVENTS.tooManyAnswers,
    "more long answers come in at a time than can be gathered: some are asked for again, or somebody makes them up",
  ],
  farReset: [
    CLUSTER_EVENTS.resetAhead,
    "resets or blocks come from more than ten minutes ahead: a clock is wrong, or somebody makes them up",
  ],
};

type Counts<Fault extends string> = { readonly [Reason in Fault]?: number };

export class Rejections {
  /** Frames, by why. */
  readonly frames: Counts<FrameFault> = {};
  /** What frames said of single keys and limiters, by why. */
  readonly parts: Counts<PartFault> = {};
  readonly #report: Report;

  constructor(report: Report) {
    this.#report = report;
  }

  /** @param sender whom the frame names as its sender, if it has been opened */
  frame(why: FrameFault, sender = ""): void {
    this.#count(this.frames, why, FRAME_EVENTS[why], NAMED.has(why) ? sender : "");
  }

  part(why: PartFault): void {
    this.#count(this.parts, why, PART_EVENTS[why]);
  }

  #count(counts: Record<string, number>, why: string, said: Said | undefined, sender = ""): void {
    const before = counts[why] ?? 0;
    counts[why] = before + 1;
    if (before > 0 || said === undefined) return;
    const [kind, sentence] = said;
    const names = sender === "" ? "" : `. They name replica ${sender}: ${WHICH_PROCESS}`;
    this.#report(`${sentence}${names}`, kind);
  }
}
