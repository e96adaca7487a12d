/**
 * One NATS connection in use: its frames in both directions, and whether it works at the moment.
 *
 * It works when the last flush has come back, nothing has been refused, and the client has not
 * reported since that it is disconnected. What is published while a client is disconnected vanishes
 * without an error, so nothing is handed over then. The connection belongs to the caller; it is
 * never closed or configured here.
 */

import { FRAME_BYTES_MAX } from "@tidegate/core/transport";
import { Backoff } from "./backoff.ts";
import { describeError, type NatsConnectionLike, settledWithin } from "./connection.ts";
import { NATS_EVENTS, type Report } from "./events.ts";
import { PublishRefusal } from "./publish-refusal.ts";
import { Sender } from "./sender.ts";
import type { Subjects } from "./subjects.ts";
import { Subscriptions } from "./subscriptions.ts";
import type { NatsTransportState } from "./transport-status.ts";

const RETRY_MS = 500;
const RETRY_MS_MAX = 30_000;
const LINGER_MS = 1_000;

export interface LinkOptions {
  readonly connection: NatsConnectionLike;
  readonly subjects: Subjects;
  /** Takes a frame, and never throws. */
  readonly receive: (frame: Uint8Array, subject: string) => void;
  readonly report: Report;
  /** The state may have changed, or nothing waits any more. Never called from within `publish`. */
  readonly changed: () => void;
  /** The server has not answered for so long that the connection may never work again. */
  readonly stuck: () => void;
  /** The connection has been closed for good. */
  readonly ended: (why: string) => void;
}

interface StatusEvent {
  readonly type: string;
  readonly error?: unknown;
  readonly data?: unknown;
  readonly permissionContext?: { readonly operation?: string; readonly subject?: string };
}

export class Link {
  readonly sender: Sender;
  readonly #options: LinkOptions;
  readonly #subscriptions: Subscriptions;
  readonly #publishRefusal = new PublishRefusal(new Backoff(RETRY_MS, RETRY_MS_MAX));
  readonly #backoff = new Backoff(RETRY_MS, RETRY_MS_MAX);
  #retry: ReturnType<typeof setTimeout> | undefined;
  #status: AsyncIterable<{ readonly type: string }> | undefined;
  #wasUp = false;
  #isUp = false;
  /** The client reports that it is disconnected; it also reports when that is over. */
  #isAway = false;
  #isOver = false;
  /** The server's last complaint, which may be why it disconnects next. */
  #complaint = "";
  #framesRefused = 0;

  constructor(options: LinkOptions) {
    const { connection, subjects, receive, report } = options;
    this.#options = options;
    this.sender = new Sender(connection, {
      arrived: () => this.#arrived(),
      failed: (error) => this.#failed(error),
      late: () => this.#late(),
      stuck: () => options.stuck(),
    });
    this.#subscriptions = new Subscriptions(connection, subjects, {
      frame: receive,
      refused: (subject, error) => {
        report(
          `NATS does not let this process subscribe to '${subject}' (${describeError(error)}), so it does not receive all other processes. Allow it to subscribe to '${subjects.everything}'`,
          NATS_EVENTS.refused,
        );
        this.#confirmLater();
        // The client may notice this within a call of ours, and `changed` must not run there.
        queueMicrotask(() => options.changed());
      },
    });
  }

  /** Subscribes, and finds out whether the server answers. */
  start(): void {
    const { connection } = this.#options;
    void this.#follow();
    void this.#awaitEnd();
    if (!connection.isClosed()) this.#confirm();
  }

  get state(): NatsTransportState {
    if (this.sender.isLate) return "late";
    if (!this.#isUp) return this.#wasUp ? "disconnected" : "connecting";
    return this.#subscriptions.isIncomplete || this.#publishRefusal.isRefused
      ? "refused"
      : "connected";
  }

  get maxPayload(): number {
    const { info } = this.#options.connection;
    // Not by `??`: a value that is not a number cannot be a maximum.
    return Math.min(FRAME_BYTES_MAX, info?.max_payload || FRAME_BYTES_MAX);
  }

  get framesDropped(): number {
    return this.sender.framesDropped + this.#framesRefused;
  }

  publish(frame: Uint8Array, to: string | undefined): boolean {
    const isTaken = this.#publish(frame, to);
    if (!isTaken) this.#framesRefused++;
    return isTaken;
  }

  /** Unsubscribes at once; resolves when all published frames have left, or cannot. */
  async close(): Promise<void> {
    this.#stopListening();
    if (this.#isUp) await settledWithin(LINGER_MS, this.sender.settled());
    this.abandon();
  }

  /** Releases the connection, whatever becomes of the published frames. */
  abandon(): void {
    this.#stopListening();
    this.#isUp = false;
    this.sender.reset();
    (this.#status as { stop?: () => void } | undefined)?.stop?.();
  }

  #stopListening(): void {
    this.#isOver = true;
    this.#subscriptions.stop();
    this.#publishRefusal.stop();
    clearTimeout(this.#retry);
  }

  #publish(frame: Uint8Array, to: string | undefined): boolean {
    const { connection, subjects, report } = this.#options;
    if (!this.#isUp || this.#isOver || connection.info === undefined) return false;
    if (frame.length > this.maxPayload) {
      report(
        `frames longer than the ${this.maxPayload} bytes that the NATS server takes are dropped: raise its 'max_payload' to 65536 or more`,
        NATS_EVENTS.payload,
      );
      return false;
    }
    if (!this.#publishRefusal.admits()) return false;
    try {
      return this.sender.send(to === undefined ? subjects.own : subjects.to(to), frame);
    } catch (error) {
      report(
        `the NATS client threw on publishing a frame: ${describeError(error)}`,
        NATS_EVENTS.client,
      );
      return false;
    }
  }

  /** Subscribes where a subscription is missing, and asks the server for an answer. */
  #confirm(): void {
    if (this.#isOver || this.#isAway) return;
    this.#subscriptions.listen();
    this.sender.probe();
  }

  #confirmLater(): void {
    if (this.#isOver || this.#retry !== undefined) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.#confirm();
    }, this.#backoff.nextMs());
    this.#retry.unref();
  }

  #arrived(): void {
    if (this.#isOver) return;
    this.#isUp = true;
    this.#wasUp = true;
    this.#complaint = "";
    if (this.#subscriptions.isIncomplete) this.#confirmLater();
    else this.#backoff.reset();
    this.#publishRefusal.arrived(() => this.#options.changed());
    this.#options.changed();
  }

  #failed(error: unknown): void {
    if (this.#isOver) return;
    const wasUp = this.#isUp;
    this.#lose();
    // A client that is disconnected reports that itself, and when it is connected again.
    if (this.#isAway) return;
    if (wasUp)
      this.#options.report(
        `NATS does not take published frames: ${describeError(error)}`,
        NATS_EVENTS.lost,
      );
    this.#confirmLater();
  }

  #late(): void {
    if (this.#isOver) return;
    this.#options.report(
      "the NATS server has stopped answering: nothing is sent until it answers again",
      NATS_EVENTS.lost,
    );
    this.#options.changed();
  }

  #lose(): void {
    this.#isUp = false;
    this.sender.reset();
    // Another server connection may have other permissions.
    this.#publishRefusal.forget();
    this.#options.changed();
  }

  async #awaitEnd(): Promise<void> {
    const { connection, ended } = this.#options;
    const error = await connection.closed().catch((thrown: unknown) => thrown);
    if (!this.#isOver) ended(error ? describeError(error) : this.#complaint);
  }

  /** Follows the client's events about the connection. */
  async #follow(): Promise<void> {
    try {
      this.#status = this.#options.connection.status();
      for await (const event of this.#status) {
        if (this.#isOver) return;
        this.#take(event);
      }
    } catch (error) {
      this.#options.report(
        `the NATS client reports nothing about its connection: ${describeError(error)}`,
        NATS_EVENTS.client,
      );
    }
  }

  #take(event: StatusEvent): void {
    switch (event.type) {
      case "disconnect": {
        this.#isAway = true;
        const why = this.#complaint === "" ? "" : ` (${this.#complaint})`;
        this.#options.report(
          `the connection to NATS is lost${why}: nothing is sent until it is back`,
          NATS_EVENTS.lost,
        );
        this.#lose();
        return;
      }
      case "reconnect":
        this.#isAway = false;
        this.#confirm();
        return;
      case "staleConnection":
        this.#complaint = "the server left pings unanswered";
        return;
      case "error":
        this.#complain(event);
    }
  }

  /** The two clients report in different ways what the server has refused. */
  #complain({ error, data, permissionContext }: StatusEvent): void {
    const { subjects, report, changed } = this.#options;
    const refusal = permissionContext ?? (error as StatusEvent["permissionContext"]);
    if (refusal?.operation === undefined) {
      this.#complaint = describeError(error ?? data);
      return;
    }
    if (refusal.operation !== "publish" || !subjects.includes(refusal.subject ?? "")) return;
    if (!this.#publishRefusal.refused()) return;
    report(
      `NATS does not let this process publish to '${refusal.subject}', so no other process receives it. Allow it to publish to '${subjects.everything}'`,
      NATS_EVENTS.refused,
    );
    changed();
  }
}
