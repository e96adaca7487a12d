/**
 * One other replica, as this one knows it: its frames, its clock, its heartbeats, and the sync
 * requests to it.
 */

import type { Heartbeat } from "../../wire/control-sections.ts";
import { LagReports } from "../anti-entropy/lag-reports.ts";
import { ReplyParts, type ReplyPartsBudget } from "../anti-entropy/reply-parts.ts";
import { ClockOffset } from "../clock/clock-offset.ts";
import type { MergeLag } from "../receive/merge-lag.ts";
import { ReceivedFrames } from "../receive/received-frames.ts";

export class Member {
  readonly id: string;
  /** Its index in stores. */
  readonly index: number;
  offset: ClockOffset = new ClockOffset();
  readonly frames: ReceivedFrames = new ReceivedFrames();
  readonly parts: ReplyParts;
  /** Up to when all that it counted is merged; absent until one of its frames is received. */
  lag: MergeLag | undefined;
  /** When its last frame was received. */
  lastReceivedMs: number;
  /** When its first frame was received, or the first one after its last silence. */
  receivedSinceMs: number;
  isAlive = true;
  /** When its frames arrived again after a silence. */
  returnedAtMs: number = Number.NEGATIVE_INFINITY;
  hasLeft = false;
  /** Its raw clock in the latest of its frames, received here or by other replicas. */
  clockMs: number = Number.NEGATIVE_INFINITY;
  /** When that frame was received here. */
  clockReceivedMs = 0;
  /** Whether the latest of its frames was received here, so that its clock offset is measured. */
  isReceivedHere = false;
  /** The number of its last frame of counts, as far as it has announced. */
  sent = 0;
  lastHeartbeat: Heartbeat | undefined;
  /** The replicas that it does not receive, as far as it has reported. */
  readonly lagReports: LagReports = new LagReports();
  /**
   * For how many heartbeats its checksum has differed from ours since the last sync round with it.
   */
  beatsDiffering = 0;
  /** When to send it a sync request, and how many were in vain. */
  askAtMs: number = Number.POSITIVE_INFINITY;
  requests = 0;
  /** How many sync requests of other replicas to it arrived while a gap has been open here. */
  requestsOfOthers = 0;
  /** How often its received frames were forgotten. */
  forgotten = 0;
  /**
   * Until when the next part of its long reply may be expected, and need not be requested again.
   */
  replyUntilMs = 0;

  constructor(id: string, index: number, budget: ReplyPartsBudget, nowMs: number) {
    this.id = id;
    this.index = index;
    this.parts = new ReplyParts(budget);
    this.lastReceivedMs = nowMs;
    this.receivedSinceMs = nowMs;
  }

  /** It publishes again, and knows its counts better than all replicas that reported on it. */
  returned(atMs: number): void {
    this.returnedAtMs = atMs;
    this.receivedSinceMs = atMs;
    this.frames.forgetReports();
    this.parts.forget();
    this.replyUntilMs = 0;
  }

  /** Forgets which of its counts were received, also those of replies that are arriving. */
  forget(): void {
    this.forgotten++;
    this.frames.forget();
    this.parts.forget();
    this.replyUntilMs = 0;
  }

  /** Whether both replicas receive each other. */
  get isPresent(): boolean {
    return this.isAlive && !this.lagReports.isUnreached;
  }

  /** Whether forgetting it loses less than forgetting the other: nothing, or what ends soonest. */
  isWorthLessThan(other: Member): boolean {
    if (this.#hasCounted !== other.#hasCounted) return other.#hasCounted;
    return this.lastReceivedMs < other.lastReceivedMs;
  }

  get #hasCounted(): boolean {
    const { upTo, above } = this.frames.known;
    return this.sent > 0 || upTo > 0 || above > 0;
  }

  /** When it sent the latest of its frames, which another replica may have relayed later. */
  get lastSentMs(): number {
    return Math.min(this.lastReceivedMs, this.clockMs + this.offset.offsetMs);
  }

  /** Whether it has sent counts that were not received. */
  get isBehind(): boolean {
    return this.sent > this.frames.last;
  }
}
