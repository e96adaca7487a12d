/**
 * What this replica has to send: the frames in the lanes, and the frames that are always short
 * (hello, leave, heartbeat, sync request).
 *
 * A short frame is written at the moment in which the transport takes it. Until then only the need
 * for it is kept, and needing it twice is needing it once. So nothing grows while the transport is
 * busy, and no heartbeat is old when it leaves.
 */

import {
  type Echo,
  type Heartbeat,
  type WireLimiter,
  writeEcho,
  writeHeartbeat,
  writeLimiters,
  writeSyncRequest,
} from "../../wire/control-sections.ts";
import type { FrameKind } from "../../wire/frame.ts";
import type { ClusterClock } from "../clock/cluster-clock.ts";
import type { Envelope } from "../envelope.ts";
import { halvesOf } from "../membership/replica-id.ts";
import { FrameLane, type OutgoingFrame, type TransportState } from "./frame-lane.ts";

interface Request {
  readonly since: number;
  readonly others: boolean;
}

/** What a heartbeat says, the limiters that it describes, and an echo for one replica. */
export type HeartbeatContent = readonly [Heartbeat, readonly WireLimiter[], Echo | undefined];

export class FrameSender {
  /** The number of the last frame of counts that has left completely. */
  counted = 0;
  /** Frames that the transport took. */
  frames = 0;
  bytes = 0;
  /** Frames that it did not take. */
  dropped = 0;
  /** How many series of frames were begun; each has its number. */
  series = 0;
  readonly transport: TransportState;

  readonly #envelope: Envelope;
  readonly #clock: ClusterClock;
  readonly #describe: () => HeartbeatContent;
  readonly #lanes: FrameLane[] = [];
  #nextLane = 0;
  #needsHello = false;
  #needsHeartbeat = false;
  #needsLeave = false;
  /** By the replica that is asked. */
  readonly #requests = new Map<string, Request>();

  /** @param describe gives the content of a heartbeat that leaves now */
  constructor(
    transport: TransportState,
    envelope: Envelope,
    clock: ClusterClock,
    describe: () => HeartbeatContent,
  ) {
    this.transport = transport;
    this.#envelope = envelope;
    this.#clock = clock;
    this.#describe = describe;
  }

  /** A lane for the frames of one kind of work; the lanes take turns. */
  addLane(): FrameLane {
    const lane = new FrameLane(this.transport);
    this.#lanes.push(lane);
    return lane;
  }

  hello(): void {
    this.#needsHello = true;
  }

  heartbeat(): void {
    this.#needsHeartbeat = true;
  }

  /** The last frame of this replica: after it, `next` has none. */
  leave(): void {
    this.#needsHello = false;
    this.#needsHeartbeat = false;
    this.#requests.clear();
    for (const lane of this.#lanes) lane.clear();
    this.#needsLeave = true;
  }

  /**
   * Sends a sync request for what a replica counted after one of its frames.
   *
   * @param others whether it is also to report on all other replicas
   */
  ask(id: string, since: number, others = false): void {
    const waiting = this.#requests.get(id);
    this.#requests.set(id, {
      since: Math.min(since, waiting?.since ?? since),
      others: others || waiting?.others === true,
    });
  }

  /** Whether a frame waits that can leave at once. */
  get hasNext(): boolean {
    if (this.transport.isBusy) return false;
    return (
      this.#needsHello ||
      this.#needsHeartbeat ||
      this.#needsLeave ||
      this.#requests.size > 0 ||
      this.#lanes.some((lane) => !lane.isEmpty)
    );
  }

  /** The next frame to send, unless the transport is busy. */
  next(): OutgoingFrame | undefined {
    if (!this.hasNext) return undefined;
    if (this.#needsHello) {
      this.#needsHello = false;
      return this.#short("hello");
    }
    if (this.#needsHeartbeat) {
      this.#needsHeartbeat = false;
      return this.#short("heartbeat", (writer) => {
        const [heartbeat, limiters, echo] = this.#describe();
        writeHeartbeat(writer, heartbeat);
        writeLimiters(writer, limiters);
        if (echo !== undefined) writeEcho(writer, echo);
      });
    }
    for (const [id, request] of this.#requests) {
      this.#requests.delete(id);
      return this.#short("request", (writer) => {
        writeSyncRequest(writer, { ...halvesOf(id), ...request });
      });
    }
    for (let tried = 0; tried < this.#lanes.length; tried++) {
      const waiting = this.#lanes[this.#nextLane]!.shift();
      this.#nextLane = (this.#nextLane + 1) % this.#lanes.length;
      if (waiting !== undefined) return waiting;
    }
    this.#needsLeave = false;
    return this.#short("leave");
  }

  /** The transport has taken a frame, or not. */
  sent(bytes: number, isTaken: boolean): void {
    if (isTaken) {
      this.frames++;
      this.bytes += bytes;
    } else {
      this.dropped++;
    }
  }

  #short(kind: FrameKind, write: (writer: Envelope["writer"]) => void = () => {}): OutgoingFrame {
    write(this.#envelope.begin(kind, this.#clock.rawNow(), this.counted));
    return { frame: this.#envelope.finish(), to: undefined };
  }
}
