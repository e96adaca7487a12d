/**
 * Sends the frames that are always short (hello, leave, heartbeat, sync request), and counts all
 * frames that leave.
 */

import type { GuardedTransport } from "../../transport/guarded-transport.ts";
import {
  type Heartbeat,
  type WireLimiter,
  writeHeartbeat,
  writeLimiters,
  writeSyncRequest,
} from "../../wire/control-sections.ts";
import type { FrameKind } from "../../wire/frame.ts";
import type { ClusterClock } from "../clock/cluster-clock.ts";
import type { Envelope } from "../envelope.ts";
import { addressOf, halvesOf } from "../membership/replica-id.ts";

export class FrameSender {
  /** The number of the last frame of counts that has left completely. */
  counted = 0;
  frames = 0;
  bytes = 0;
  /** Frames that the transport did not take. */
  dropped = 0;
  /** How many series of frames were begun; each has its number. */
  series = 0;
  readonly transport: GuardedTransport;

  readonly #envelope: Envelope;
  readonly #clock: ClusterClock;

  constructor(transport: GuardedTransport, envelope: Envelope, clock: ClusterClock) {
    this.transport = transport;
    this.#envelope = envelope;
    this.#clock = clock;
  }

  /** Whether frames can leave, as far as the transport reports. */
  get isConnected(): boolean {
    return this.transport.connected;
  }

  /** Backpressure: whether another frame would wait behind earlier ones. */
  get isBusy(): boolean {
    return this.transport.busy;
  }

  publish(frame: Uint8Array, to?: string): void {
    const address = to === undefined ? undefined : addressOf(to);
    const bytes = frame.length;
    if (this.transport.publish(frame, address)) {
      this.frames++;
      this.bytes += bytes;
    } else {
      this.dropped++;
    }
  }

  /** A frame that names this replica and says that it joins or leaves, and nothing else. */
  announce(kind: FrameKind & ("hello" | "leave")): void {
    this.#begin(kind);
    this.publish(this.#envelope.finish());
  }

  /**
   * A sync request for what a replica counted after one of its frames.
   *
   * @param others whether it is also to report on all other replicas
   */
  ask(id: string, since: number, others = false): void {
    writeSyncRequest(this.#begin("request"), { ...halvesOf(id), since, others });
    this.publish(this.#envelope.finish());
  }

  heartbeat(heartbeat: Heartbeat, limiters: readonly WireLimiter[]): void {
    const writer = this.#begin("heartbeat");
    writeHeartbeat(writer, heartbeat);
    writeLimiters(writer, limiters);
    this.publish(this.#envelope.finish());
  }

  #begin(kind: FrameKind): Envelope["writer"] {
    return this.#envelope.begin(kind, this.#clock.rawNow(), this.counted);
  }
}
