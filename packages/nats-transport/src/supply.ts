/**
 * Where connections come from: one that was given, a promise of one, or a function that makes one.
 *
 * A function is called again whenever what it made has ended, with waits that grow. What it makes is
 * ours to close, also when it comes after we have stopped. What is awaited for long is said, again and
 * again, but more and more rarely: a promise may never settle, and then nobody else would say anything.
 */

import { Backoff } from "./backoff.ts";
import {
  isConnection,
  isPromise,
  type NatsConnectionLike,
  type NatsConnectionSource,
  told,
} from "./connection.ts";
import { NATS_EVENTS, type Report } from "./events.ts";

const RETRY_MS = 100;
const RETRY_MS_MAX = 5_000;
const PATIENCE_MS = 10_000;
const PATIENCE_MS_MAX = 300_000;

export interface SupplyOptions {
  readonly source: NatsConnectionSource;
  readonly take: (connection: NatsConnectionLike) => void;
  readonly report: Report;
  /** There will never be a connection. */
  readonly failed: () => void;
  readonly random: () => number;
}

export class Supply {
  /** Whether connections are ours to close. */
  readonly isOwner: boolean;
  readonly #options: SupplyOptions;
  readonly #backoff: Backoff;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  constructor(options: SupplyOptions) {
    this.#options = options;
    this.isOwner = typeof options.source === "function";
    this.#backoff = new Backoff(RETRY_MS, RETRY_MS_MAX, options.random);
  }

  start(): void {
    const { source, take } = this.#options;
    if (typeof source !== "function" && !isPromise(source)) {
      take(source);
      return;
    }
    this.#await(PATIENCE_MS, 0);
    this.#make(source).then(
      (made) => this.#arrive(made),
      (error) => this.#fail(told(error)),
    );
  }

  /** Makes another connection, if that is ours to do. */
  again(): void {
    if (this.#isOver) return;
    if (!this.isOwner) {
      this.#options.failed();
      return;
    }
    this.#timer = setTimeout(() => this.start(), this.#backoff.nextMs());
    this.#timer.unref();
  }

  /** What was made last works. */
  worked(): void {
    this.#backoff.reset();
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  /** Says that nothing has come for so long already and so long again, and goes on waiting. */
  #await(patienceMs: number, waitedMs: number): void {
    this.#timer = setTimeout(() => {
      const allMs = waitedMs + patienceMs;
      this.#await(Math.min(2 * patienceMs, PATIENCE_MS_MAX), allMs);
      this.#options.report(
        `there is still no NATS connection after ${allMs / 1_000} s`,
        NATS_EVENTS.unreachable,
      );
    }, patienceMs);
    this.#timer.unref();
  }

  async #make(source: PromiseLike<unknown> | (() => unknown)): Promise<unknown> {
    return await (typeof source === "function" ? source() : source);
  }

  #arrive(made: unknown): void {
    clearTimeout(this.#timer);
    if (!isConnection(made)) {
      this.#fail("what came is no connection of 'nats' or '@nats-io/transport-node'");
    } else if (!this.#isOver) {
      this.#options.take(made);
    } else if (this.isOwner) {
      void closeQuietly(made);
    }
  }

  #fail(why: string): void {
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    const next = this.isOwner
      ? "it is tried again, at the servers that 'connection' names"
      : "that is not tried again, a function would be";
    this.#options.report(`there is no NATS connection (${why}): ${next}`, NATS_EVENTS.unreachable);
    this.again();
  }
}

/** Closes a connection that nobody waits for any more. */
export async function closeQuietly(connection: NatsConnectionLike): Promise<void> {
  try {
    await connection.close();
  } catch {
    // It is of no use to anybody either way.
  }
}
