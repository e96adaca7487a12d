/**
 * What carries frames between replicas.
 *
 * It promises little, so that nearly anything can be one: frames may be lost, repeated, delayed and
 * reordered, and may come back to whoever sent them. It must never wait and never throw.
 */

export interface TransportContext {
  /** Only transports of one namespace hear each other. */
  readonly namespace: string;
  /** The id of this replica: 16 hexadecimal digits. */
  readonly replica: string;
  /** Takes what went wrong, in a sentence, for whoever operates the process; may be called often. */
  readonly report?: (trouble: string) => void;
}

export interface Transport {
  /** Begins to deliver what others publish. Called once. */
  open(receive: (frame: Uint8Array) => void, context: TransportContext): void;
  /**
   * Sends a frame, which belongs to the transport from then on, to all replicas, or to the one with
   * the id `to` where it can. Returns false if the frame has been dropped.
   */
  publish(frame: Uint8Array, to?: string): boolean;
  /** Stops delivering, and lets go of everything that `open` took. */
  close(): void;
  /** The longest frame that can be sent now; 65,535 when absent. */
  readonly maxPayload?: number;
  /** Whether frames can leave now, as far as the transport can tell; true when absent. */
  readonly connected?: boolean;
}
