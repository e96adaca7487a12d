/**
 * What carries frames between replicas.
 *
 * It promises little, so that nearly anything can be one: frames may be lost, repeated, delayed and
 * reordered, and may come back to whoever sent them. It must never wait and never throw.
 */

import type { EventKind } from "../base/cluster-events.ts";

/** No frame is ever longer, whatever carries it. */
export const FRAME_BYTES_MAX = 65_535;

export interface TransportContext {
  /** Only transports of one namespace hear each other. */
  readonly namespace: string;
  /** What this replica is known by: 12 hexadecimal digits. */
  readonly replica: string;
  /**
   * Takes what went wrong, in a sentence for operators; may be called often. `kind` is a stable code of
   * the transport's own, and how serious it is: `TIDEGATE_TRANSPORT_TROUBLE`, a warning, when absent.
   */
  readonly report?: (trouble: string, kind?: EventKind) => void;
  /**
   * Told when `connected` is not what it was, and when `busy` has ended, so that what could not be
   * said before is said at once. Never called while `open`, `publish` or `close` runs.
   */
  readonly changed?: () => void;
}

export interface Transport {
  /**
   * Begins to deliver what others publish. Called once. A frame belongs to whoever receives it from
   * then on.
   */
  open(receive: (frame: Uint8Array) => void, context: TransportContext): void;
  /**
   * Sends a frame, which belongs to the transport from then on, to all replicas, or to the one
   * known as `to` where it can. Returns false if the frame has been dropped.
   */
  publish(frame: Uint8Array, to?: string): boolean;
  /**
   * Stops delivering at once, and lets go of everything that `open` took. What it returns resolves
   * when the frames published before have left, or soon after if they cannot; it never rejects.
   */
  close(): void | Promise<void>;
  /** Whether it reaches so far that a namespace must be given, lest strangers share their limits. */
  readonly needsNamespace?: boolean;
  /** The longest frame that can be sent now; 65,535 when absent. */
  readonly maxPayload?: number;
  /**
   * Whether frames can leave and be heard now, as far as the transport can tell; true when absent.
   * While it is false, frames that are published anyway are probably lost.
   */
  readonly connected?: boolean;
  /**
   * Whether frames wait for earlier ones to leave; false when absent. Whoever can should wait then:
   * what is said later says in one frame what would have taken several.
   */
  readonly busy?: boolean;
}
