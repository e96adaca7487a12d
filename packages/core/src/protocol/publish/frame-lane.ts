/**
 * The frames that one kind of work has written, until they are sent.
 *
 * The work writes no further until they are. So a lane holds the frames of one slice at most, and a
 * sync reply of a million keys never waits as megabytes of frames.
 */

/** The transport of this replica, as its driver last saw it. */
export interface TransportState {
  /** Whether frames can leave, as far as the transport reports. */
  isConnected: boolean;
  /** Backpressure: whether another frame would wait behind earlier ones. */
  isBusy: boolean;
  /** The longest frame that it takes. */
  maxPayload: number;
  /** Why it is not connected, as far as it reports. */
  trouble: string | undefined;
}

export interface OutgoingFrame {
  readonly frame: Uint8Array;
  /** The id of the replica that it is for; absent for a broadcast. */
  readonly to: string | undefined;
}

export class FrameLane {
  readonly #transport: TransportState;
  #frames: OutgoingFrame[] = [];

  constructor(transport: TransportState) {
    this.#transport = transport;
  }

  get isEmpty(): boolean {
    return this.#frames.length === 0;
  }

  /** Whether the next frame can leave at once. */
  get isFree(): boolean {
    return this.#frames.length === 0 && !this.#transport.isBusy;
  }

  push(frame: Uint8Array, to: string | undefined): void {
    this.#frames.push({ frame, to });
  }

  shift(): OutgoingFrame | undefined {
    return this.#frames.shift();
  }

  clear(): void {
    this.#frames = [];
  }
}
