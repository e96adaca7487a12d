/**
 * A series of frames that together carry one delta or one sync reply.
 *
 * The writer flushes a batch when it is full, and ends a frame when the next entry does not fit. A
 * delta that fits one frame needs only its number. In a longer series each frame says which part it
 * is, so the receiver knows when nothing is missing. An entry that does not fit an empty frame is
 * dropped: it would not fit the next one either, and the series would never end.
 */

import type { Component } from "../../crdt/component.ts";
import { type WireCheckpoint, writeCheckpoints } from "../../wire/checkpoint-section.ts";
import { ComponentBatch } from "../../wire/component-batch.ts";
import {
  type ComponentHead,
  type NameOpener,
  writeComponents,
} from "../../wire/component-section.ts";
import {
  REPLY_PART_BYTES_MAX,
  writeReplicaReport,
  writeReplyPart,
} from "../../wire/control-sections.ts";
import type { FrameKind, Halves } from "../../wire/frame.ts";
import { type WireNote, writeNotes } from "../../wire/note-section.ts";
import type { Envelope } from "../envelope.ts";
import type { FramesKnown } from "../receive/received-frames.ts";
import type { ReplicaContext } from "../replica-context.ts";
import type { FrameLane } from "./frame-lane.ts";

/** What a whole series covers. */
export interface Coverage {
  readonly kind: FrameKind & ("counts" | "reply");
  /** All that changed after this frame of counts … */
  readonly since: number;
  /** … and until this one. */
  readonly upTo: number;
  /** The replica that it is for; absent for a broadcast. */
  readonly to?: string | undefined;
  /** Whether it includes all permits that this replica holds. */
  readonly hasAllPermits?: boolean;
}

/** A replica that has crashed or left, and which of its frames this one has. */
export interface DeadReplica extends FramesKnown, Halves {
  /** How far its raw clock is ahead of ours. */
  readonly aheadMs: number;
  /** For how long nothing of it has been received. */
  readonly silentMs: number;
}

export class FrameSeries {
  readonly #context: ReplicaContext;
  readonly #envelope: Envelope;
  readonly #lane: FrameLane;
  readonly #nameOpener: NameOpener;
  readonly #batch = new ComponentBatch();
  #head: ComponentHead | undefined;
  #other: DeadReplica | undefined;
  #coverage: Coverage = { kind: "counts", since: 0, upTo: 0 };
  #isUnrepeated = false;
  #replyNumber = 0;
  #parts = 0;
  /** The writer's position while the frame has no entries yet. */
  #emptyAt = 0;
  /** When the frame that is being written was begun, by the raw clock. */
  sentAtMs = 0;

  /**
   * @param envelope the series is the only one that writes here while it goes on
   * @param lane takes the frames
   */
  constructor(
    context: ReplicaContext,
    envelope: Envelope,
    lane: FrameLane,
    nameOpener: NameOpener,
  ) {
    this.#context = context;
    this.#envelope = envelope;
    this.#lane = lane;
    this.#nameOpener = nameOpener;
  }

  /** Begins another series, whether or not the last one has ended. */
  begin(coverage: Coverage): void {
    this.#batch.clear();
    this.#head = undefined;
    this.#other = undefined;
    this.#coverage = coverage;
    this.#isUnrepeated = false;
    this.#replyNumber = ++this.#context.sender.series;
    this.#parts = 0;
    this.#beginFrame();
  }

  /** What follows is in no later frame and in no sync reply: it leaves in frames that say so. */
  unrepeated(): void {
    if (this.#isUnrepeated) return;
    this.#spill();
    this.#isUnrepeated = true;
    if (this.#envelope.writer.position > this.#emptyAt) this.#endFrame(false);
    else this.#beginFrame();
  }

  /** Begins the counts of another policy of a limiter. */
  section(head: ComponentHead): void {
    this.#spill();
    this.#head = head;
  }

  /** @param laterMs what to add to its period */
  component(component: Readonly<Component>, laterMs: number): void {
    if (this.#batch.isFull) this.#spill();
    this.#batch.add(component, laterMs);
  }

  /** Resets and marks of a limiter. */
  notes(limiter: Halves, resetAll: number, notes: readonly WireNote[]): void {
    this.#spill();
    const { writer } = this.#envelope;
    let next = 0;
    let isResetWritten = resetAll === 0;
    while (next < notes.length || !isResetWritten) {
      const before = writer.position;
      next = writeNotes(writer, limiter, resetAll, notes, next);
      isResetWritten ||= writer.position > before;
      const isWhole = next === notes.length && isResetWritten;
      if (!isWhole && !this.#continue()) return;
    }
  }

  /** Levels of buckets under one policy of a limiter. */
  checkpoints(limiter: Halves, policy: number, checkpoints: readonly WireCheckpoint[]): void {
    this.#spill();
    const { writer } = this.#envelope;
    let next = 0;
    while (next < checkpoints.length) {
      next = writeCheckpoints(writer, limiter, policy, checkpoints, next);
      if (next < checkpoints.length && !this.#continue()) return;
    }
  }

  /** What follows is known of another replica, up to the next call; each frame of it names it. */
  reportOn(other: DeadReplica): void {
    this.#spill();
    this.#other = other;
    if (!this.#writeOther(other)) this.#endFrame(false);
  }

  /** Ends the last frame. */
  end(): void {
    this.#spill();
    this.#endFrame(true);
  }

  #spill(): void {
    const batch = this.#batch;
    if (batch.size === 0 || this.#head === undefined) return;
    batch.sort();
    let next = 0;
    while (next < batch.size) {
      const from = next;
      next = writeComponents(this.#envelope.writer, this.#head, batch, from, this.#nameOpener);
      if (next === from && !this.#continue()) break;
    }
    batch.clear();
  }

  #beginFrame(): void {
    const envelope = this.#envelope;
    const { kind, upTo } = this.#coverage;
    this.sentAtMs = this.#context.clock.rawNow();
    envelope.begin(kind, this.sentAtMs, upTo, this.#isUnrepeated).reserve(REPLY_PART_BYTES_MAX);
    if (this.#other !== undefined) this.#writeOther(this.#other);
    this.#emptyAt = envelope.writer.position;
  }

  /** Goes on in another frame; false if this one is empty, so that another is of no use. */
  #continue(): boolean {
    if (this.#envelope.writer.position === this.#emptyAt) return false;
    this.#endFrame(false);
    return true;
  }

  #writeOther(other: DeadReplica): boolean {
    const clockMs = Math.max(0, this.sentAtMs + other.aheadMs);
    return writeReplicaReport(this.#envelope.writer, { ...other, clockMs });
  }

  #endFrame(isLast: boolean): void {
    const envelope = this.#envelope;
    const { kind, since, upTo, to, hasAllPermits = false } = this.#coverage;
    const part = this.#parts++;
    envelope.writer.reserve(0);
    if (part > 0 || !isLast || kind === "reply") {
      const replyNumber = this.#replyNumber;
      const parts = isLast ? part + 1 : 0;
      writeReplyPart(envelope.writer, { since, upTo, replyNumber, part, parts, hasAllPermits });
    }
    this.#lane.push(envelope.finish(), to);
    if (!isLast) this.#beginFrame();
  }
}
