/**
 * What tidegate's ways of telling others are held against: a limiter that tells, at every tick of a
 * fixed length, what of its own counts has changed, and decides as tidegate does.
 *
 * It is as good as such a design can be: it says nothing when nothing has changed, counts are
 * cumulative, a change takes sixteen bytes, and as many as fit share a frame.
 */

import type { NatsConnection } from "@nats-io/transport-node";

const ENTRY_BYTES = 16;
const HEAD_BYTES = 8;
const FRAME_BYTES_MAX = 65_535;
const ENTRIES_MAX = Math.floor((FRAME_BYTES_MAX - HEAD_BYTES) / ENTRY_BYTES);

export interface FixedTickOptions {
  readonly connection: NatsConnection;
  readonly subject: string;
  /** The number of this process among all. */
  readonly index: number;
  readonly tickMs: number;
  readonly limit: number;
}

export class FixedTick {
  frames = 0;
  bytes = 0;
  readonly #options: FixedTickOptions;
  readonly #own = new Map<number, number>();
  /** What others have counted, by process and key, and the sum of it by key. */
  readonly #heard = new Map<number, Map<number, number>>();
  readonly #others = new Map<number, number>();
  readonly #changed = new Set<number>();
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(options: FixedTickOptions) {
    this.#options = options;
    const { connection, subject, tickMs } = options;
    connection.subscribe(subject, {
      callback: (error, message) => {
        if (error === null) this.#hear(message.data);
      },
    });
    this.#timer = setInterval(() => this.#tick(), tickMs);
  }

  /** Asks for one hit of a key and counts it if it is allowed. */
  check(key: number): boolean {
    const own = this.#own.get(key) ?? 0;
    if (own + (this.#others.get(key) ?? 0) + 1 > this.#options.limit) return false;
    this.#own.set(key, own + 1);
    this.#changed.add(key);
    return true;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const changed = Array.from(this.#changed);
    this.#changed.clear();
    for (let first = 0; first < changed.length; first += ENTRIES_MAX) {
      const keys = changed.slice(first, first + ENTRIES_MAX);
      const frame = new Uint8Array(HEAD_BYTES + ENTRY_BYTES * keys.length);
      const view = new DataView(frame.buffer);
      view.setFloat64(0, this.#options.index);
      keys.forEach((key, at) => {
        view.setFloat64(HEAD_BYTES + ENTRY_BYTES * at, key);
        view.setFloat64(HEAD_BYTES + ENTRY_BYTES * at + 8, this.#own.get(key) ?? 0);
      });
      this.#options.connection.publish(this.#options.subject, frame);
      this.frames++;
      this.bytes += frame.length;
    }
  }

  #hear(frame: Uint8Array): void {
    const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
    const index = view.getFloat64(0);
    if (index === this.#options.index) return;
    const heard = this.#heard.get(index) ?? new Map<number, number>();
    this.#heard.set(index, heard);
    for (let at = HEAD_BYTES; at < frame.length; at += ENTRY_BYTES) {
      const key = view.getFloat64(at);
      const count = view.getFloat64(at + 8);
      const more = count - (heard.get(key) ?? 0);
      if (more <= 0) continue;
      heard.set(key, count);
      this.#others.set(key, (this.#others.get(key) ?? 0) + more);
    }
  }
}
