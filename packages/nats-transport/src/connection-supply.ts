/**
 * Supplies connections: a given one, a promise of one, or those that a function creates.
 *
 * A function is called again whenever its connection has ended, after waits that grow. The
 * transport closes what a function creates, also if it comes after the transport was closed. A long
 * wait is reported again and again, but ever more rarely: a promise may never settle, and nothing
 * else would show that.
 */

import { Backoff } from "./backoff.ts";
import {
  describeError,
  isConnection,
  isPromise,
  type NatsConnectionLike,
  type NatsConnectionSource,
} from "./connection.ts";
import { NATS_EVENTS, type Report } from "./events.ts";

const RETRY_MS = 100;
const RETRY_MS_MAX = 5_000;
const PATIENCE_MS = 10_000;
const PATIENCE_MS_MAX = 300_000;

export interface ConnectionSupplyOptions {
  readonly source: NatsConnectionSource;
  readonly take: (connection: NatsConnectionLike) => void;
  readonly report: Report;
  /** There will never be a connection. */
  readonly failed: () => void;
}

export class ConnectionSupply {
  /** Whether this transport closes the connections. */
  readonly isOwner: boolean;
  readonly #options: ConnectionSupplyOptions;
  readonly #backoff = new Backoff(RETRY_MS, RETRY_MS_MAX);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  constructor(options: ConnectionSupplyOptions) {
    this.#options = options;
    this.isOwner = typeof options.source === "function";
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
      (error) => this.#fail(describeError(error)),
    );
  }

  /** Creates another connection, if there is a function for that. */
  again(): void {
    if (this.#isOver) return;
    if (!this.isOwner) {
      this.#options.failed();
      return;
    }
    this.#timer = setTimeout(() => this.start(), this.#backoff.nextMs());
    this.#timer.unref();
  }

  /** The last connection works. */
  worked(): void {
    this.#backoff.reset();
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  /** Reports that no connection has come for so long, and goes on waiting. */
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
      this.#fail(
        "'connection' gave something that is no connection of 'nats' or '@nats-io/transport-node'",
      );
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
      ? "the transport calls the function 'connection' again"
      : "the transport does not try again. Give natsTransport a function that connects, and it does";
    this.#options.report(`there is no NATS connection (${why}): ${next}`, NATS_EVENTS.unreachable);
    this.again();
  }
}

/** Closes a connection, whose outcome does not matter any more. */
export async function closeQuietly(connection: NatsConnectionLike): Promise<void> {
  try {
    await connection.close();
  } catch {
    // The connection is not used any more in either case.
  }
}
