/**
 * A transport carries frames between replicas.
 *
 * It promises little, so that nearly anything can be one: frames may be lost, repeated, delayed and
 * reordered, and may come back to their sender. It must never wait and never throw.
 */

import type { EventKind } from "../base/cluster-events.ts";

/** No frame is longer than this, on any transport. */
export const FRAME_BYTES_MAX = 65_535;

/** The replication writes no shorter maximum than this, so a transport that takes less loses frames. */
export const FRAME_BYTES_MIN = 512;

export interface TransportContext {
  /** Only transports of one namespace receive each other's frames. */
  readonly namespace: string;
  /**
   * The address of this replica: 12 hexadecimal digits. They are the first ones of its id, which has
   * 16 and is `replica` in the status. The id can change, and the address stays.
   */
  readonly replica: string;
  /**
   * Takes a problem, in a sentence for operators; may be called often. `kind` is a stable code of
   * the transport's own and its severity; when absent, the warning `TIDEGATE_TRANSPORT_TROUBLE`.
   * `joinCluster` always passes it, and a test may leave it out.
   */
  readonly report?: (trouble: string, kind?: EventKind) => void;
  /**
   * Call it when `connected` changes and when `busy` ends, so that waiting frames leave at once.
   * Never call it while `open`, `publish` or `close` runs; the same holds for `receive`.
   * `joinCluster` always passes it.
   */
  readonly changed?: () => void;
}

export interface Transport {
  /**
   * Begins to deliver the frames of other replicas. Called once. A delivered frame belongs to the
   * receiver from then on. Nothing that it opens may keep the process alive.
   */
  open(receive: (frame: Uint8Array) => void, context: TransportContext): void;
  /**
   * Sends a frame, which belongs to the transport from then on, to all replicas, or to the one with
   * the address `to` if the transport can. Returns false if the frame has been dropped.
   */
  publish(frame: Uint8Array, to?: string): boolean;
  /**
   * Stops delivering at once, and releases everything that `open` took. The returned promise
   * resolves when the frames published before have left, or soon after if they cannot; it never
   * rejects.
   */
  close(): void | Promise<void>;
  /**
   * Whether it reaches other services too, so that a namespace must be given to keep limits apart.
   */
  readonly needsNamespace?: boolean;
  /** The longest frame that can be sent now, at least 512 bytes; 65,535 when absent. */
  readonly maxPayload?: number;
  /**
   * Whether frames can leave and be received now, as far as the transport can tell; true when
   * absent. Frames that are published while it is false are probably lost.
   */
  readonly connected?: boolean;
  /**
   * Backpressure: whether frames wait for earlier ones to leave; false when absent. Replication
   * then holds its counts back: one later frame carries what several would have carried now.
   */
  readonly busy?: boolean;
}
