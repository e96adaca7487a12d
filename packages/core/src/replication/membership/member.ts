/**
 * One other replica: when it was heard and what of it, what it says of itself, and what it is asked for.
 */

import type { Heartbeat } from "../../wire/heartbeat-section.ts";
import { LagReports } from "../anti-entropy/lag-reports.ts";
import { Reachability } from "../anti-entropy/reachability.ts";
import { ReplyParts } from "../anti-entropy/reply-parts.ts";
import type { ReplyPartsBudget } from "../anti-entropy/reply-parts-budget.ts";
import { ClockOffset } from "../clock/clock-offset.ts";
import type { MergeLag } from "../receive/merge-lag.ts";
import { ReceivedFrames } from "../receive/received-frames.ts";

export class Member {
  readonly id: string;
  /** Its number in stores. */
  readonly index: number;
  offset: ClockOffset = new ClockOffset();
  readonly frames: ReceivedFrames = new ReceivedFrames(0);
  readonly parts: ReplyParts;
  /** Up to when all that it counted is merged; absent until it has been heard. */
  lag: MergeLag | undefined;
  heardAtMs: number;
  /** When it was heard for the first time, or for the first time after its last silence. */
  heardSinceMs: number;
  isAlive = true;
  /** When it was heard again after a silence. */
  returnedAtMs: number = Number.NEGATIVE_INFINITY;
  hasLeft = false;
  /** Its raw clock in the latest of its frames, heard here or by others. */
  clockMs: number = Number.NEGATIVE_INFINITY;
  /** Whether the latest of its frames was heard here, and so how far its clock is ahead. */
  isHeard = false;
  /** The number of its last frame of counts, as far as it has said. */
  sent = 0;
  /** Hits that it has allowed and refused since it started. */
  allowed = 0;
  refused = 0;
  /** Whether it has heard what others counted before it came, as far as it has said. */
  isReady: boolean | undefined;
  /** For how long it had been there when it last said so. */
  upMs: number | undefined;
  /** What it does not hear, as far as it has said, and a checksum of what it knows of whom. */
  readonly lagReports: LagReports = new LagReports();
  /** Whether it hears this replica. */
  readonly reachability: Reachability = new Reachability();
  knownSum: number | undefined;
  /** For how many heartbeats it has not known the same as this one, since a round of asking ended with it. */
  beatsApart = 0;
  /** When to ask it for what is missing, and how often that was in vain. */
  askAtMs: number = Number.POSITIVE_INFINITY;
  asked = 0;
  /** How often others have asked it since something has been missing here. */
  askedByOthers = 0;
  /** How often it was forgotten what has been heard of it. */
  forgotten = 0;
  /** Until when the rest of a long answer of it may be expected, and need not be asked for again. */
  answeringUntilMs = 0;

  constructor(id: string, index: number, room: ReplyPartsBudget, nowMs: number) {
    this.id = id;
    this.index = index;
    this.parts = new ReplyParts(room);
    this.heardAtMs = nowMs;
    this.heardSinceMs = nowMs;
  }

  /** Takes note of what it says of itself. */
  said({ isReady, upMs, allowed, refused, known }: Heartbeat): void {
    this.isReady = isReady;
    this.upMs = upMs;
    this.allowed = allowed;
    this.refused = refused;
    this.knownSum = known;
  }

  /** It speaks for itself again, and knows better than all who spoke for it. */
  returned(atMs: number): void {
    this.returnedAtMs = atMs;
    this.heardSinceMs = atMs;
    this.frames.forgetOthers();
    this.parts.forget();
    this.answeringUntilMs = 0;
  }

  /** It has told all that it counted before a time of its clock in frames up to a number. */
  told(number: number, clockMs: number): void {
    this.lag?.claim(number, clockMs);
  }

  /** Forgets which of its counts have been heard, those of answers that are coming in included. */
  forget(): void {
    this.forgotten++;
    this.frames.forget();
    this.parts.forget();
    this.answeringUntilMs = 0;
  }

  /** Whether each hears the other. */
  get isStoreState(): boolean {
    return this.isAlive && !this.reachability.isLost;
  }

  /** Whether less would be lost without it than without another: nothing, or what is over soonest. */
  isLessThan(other: Member): boolean {
    if (this.#hasCounted !== other.#hasCounted) return other.#hasCounted;
    return this.heardAtMs < other.heardAtMs;
  }

  get #hasCounted(): boolean {
    const { upTo, above } = this.frames.known;
    return this.sent > 0 || upTo > 0 || above > 0;
  }

  /**
   * What to add to its clock to have ours, for others that have not heard it: after a suspended machine
   * resumed its clock is behind at once, and whoever is told of a later one takes its frames for old.
   */
  get toldOffsetMs(): number {
    return this.offset.likelyOffsetMs;
  }

  /** When it sent the latest of its frames, which another replica may have passed on later. */
  get lastSentMs(): number {
    return Math.min(this.heardAtMs, this.clockMs + this.offset.offsetMs);
  }

  /** Whether it has sent counts that have not been heard. */
  get isBehind(): boolean {
    return this.frames.isBehind(this.sent);
  }
}
