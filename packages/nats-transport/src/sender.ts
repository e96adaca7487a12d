/**
 * Backpressure: hands frames to a connection no faster than its server reads them.
 *
 * A NATS client writes without asking whether the socket takes more. A client whose socket is full
 * when its server freezes hangs for good: it neither sends nor reconnects. So no more than a round
 * of 64 KB is ever in flight. A flush after each round shows when the server has read it. What does
 * not fit waits here, within bounds. When no flush comes back, nothing more is handed over, and
 * what waits is dropped: later frames carry the same counts and more.
 *
 * Lateness is counted in turns of a timer and not by a clock. A process that was busy itself sees
 * its timers before the answers that wait to be read.
 */

import type { NatsConnectionLike } from "./connection.ts";

/** What may be on its way, apart from a single longer frame. */
const ROUND_BYTES_MAX = 65_536;
const QUEUE_BYTES_MAX = 1_048_576;
const TURN_MS = 250;
const TURNS_UNTIL_LATE = 4;
const TURNS_UNTIL_STUCK = 20;

export interface SenderListener {
  /** The server has read all bytes up to some point. */
  arrived(): void;
  /** A flush failed: the connection was lost or replaced. */
  failed(error: unknown): void;
  /** The server has not answered for a while. */
  late(): void;
  /** The server has not answered for so long that it may never answer. */
  stuck(): void;
}

interface Outgoing {
  readonly subject: string;
  readonly frame: Uint8Array;
}

export class Sender {
  framesSent = 0;
  /** Frames that were taken, and dropped before they could leave. */
  framesDropped = 0;
  /** How long the server took to answer the last round. */
  roundTripMs: number | undefined;
  isLate = false;

  readonly #connection: NatsConnectionLike;
  readonly #listener: SenderListener;
  #queue: Outgoing[] = [];
  #queueBytes = 0;
  /** Bytes handed over since the last flush began, and in all. */
  #roundBytes = 0;
  #outBytes = 0;
  #isFilling = false;
  /** Flushes that have not come back. */
  #roundsOut = 0;
  /** Rises when everything on its way is void. */
  #epoch = 0;
  #turns = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #waiting: (() => void)[] = [];

  constructor(connection: NatsConnectionLike, listener: SenderListener) {
    this.#connection = connection;
    this.#listener = listener;
  }

  get waitingBytes(): number {
    return this.#queueBytes;
  }

  /** Takes a frame; false if it is dropped. Throws what the connection throws. */
  send(subject: string, frame: Uint8Array): boolean {
    if (this.isLate) return false;
    if (this.#queue.length === 0 && this.#hasRoomFor(frame)) {
      this.#hand(subject, frame);
      return true;
    }
    if (this.#queueBytes + frame.length > QUEUE_BYTES_MAX) return false;
    this.#queue.push({ subject, frame });
    this.#queueBytes += frame.length;
    return true;
  }

  /** Asks the server for an answer, without sending anything. */
  probe(): void {
    this.#endRound();
  }

  /** Drops all that waits, and forgets all that is on its way. */
  reset(): void {
    this.#epoch++;
    this.#roundsOut = 0;
    this.#outBytes = 0;
    this.#roundBytes = 0;
    this.isLate = false;
    this.#dropQueue();
    this.#rest();
  }

  /** Resolves when all that was taken has been read by the server, or will not be. */
  async settled(): Promise<void> {
    const isIdle = this.#queue.length === 0 && this.#roundsOut === 0 && !this.#isFilling;
    if (isIdle || this.isLate) return;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #hasRoomFor(frame: Uint8Array): boolean {
    return this.#outBytes === 0 || this.#outBytes + frame.length <= ROUND_BYTES_MAX;
  }

  #hand(subject: string, frame: Uint8Array): void {
    this.#connection.publish(subject, frame);
    this.framesSent++;
    this.#roundBytes += frame.length;
    this.#outBytes += frame.length;
    if (this.#isFilling) return;
    // Frames that are sent in one turn share a round.
    this.#isFilling = true;
    queueMicrotask(() => this.#endRound());
  }

  #endRound(): void {
    this.#isFilling = false;
    const bytes = this.#roundBytes;
    const epoch = this.#epoch;
    const startedAtMs = performance.now();
    this.#roundBytes = 0;
    if (this.#roundsOut++ === 0) this.#watch();
    this.#flush().then(
      () => {
        if (epoch !== this.#epoch) return;
        this.roundTripMs = performance.now() - startedAtMs;
        this.#settle(bytes);
        this.#listener.arrived();
      },
      (error: unknown) => {
        if (epoch !== this.#epoch) return;
        this.reset();
        this.#listener.failed(error);
      },
    );
  }

  async #flush(): Promise<void> {
    await this.#connection.flush();
  }

  #settle(bytes: number): void {
    this.#outBytes -= bytes;
    this.#roundsOut--;
    this.#turns = 0;
    this.isLate = false;
    try {
      for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
        const { subject, frame } = next;
        if (!this.#hasRoomFor(frame)) break;
        this.#queue.shift();
        this.#queueBytes -= frame.length;
        this.#hand(subject, frame);
      }
    } catch {
      // The connection takes nothing any more, and its own events will report that.
      this.#dropQueue();
    }
    if (this.#roundsOut === 0 && !this.#isFilling) this.#rest();
  }

  /** Checks periodically whether the server still answers. */
  #watch(): void {
    this.#turns = 0;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#turn(), TURN_MS);
    this.#timer.unref();
  }

  #turn(): void {
    this.#turns++;
    if (this.#turns === TURNS_UNTIL_LATE) {
      this.isLate = true;
      this.#dropQueue();
      this.#release();
      this.#listener.late();
    } else if (this.#turns === TURNS_UNTIL_STUCK) {
      this.#listener.stuck();
    }
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#release();
  }

  #release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  #dropQueue(): void {
    this.framesDropped += this.#queue.length;
    this.#queue = [];
    this.#queueBytes = 0;
  }
}
