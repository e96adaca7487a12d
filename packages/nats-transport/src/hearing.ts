/**
 * What a replica is subscribed to on one connection, and the one place where frames come in.
 *
 * Nothing may leave the callbacks: a client whose callback throws stops reading for everybody who
 * uses the connection. What arrives is a view of the client's own buffers and is copied once, and of
 * what is too long to be a frame no more than shows that it is. A subscription that the server refuses
 * or revokes is gone, and nobody but us subscribes again.
 */

import { FRAME_BYTES_MAX } from "@tidegate/core/transport";
import type { NatsConnectionLike, NatsMessageLike, NatsSubscriptionLike } from "./connection.ts";
import type { Subjects } from "./subjects.ts";

/** Must not throw. */
export interface HearingListener {
  frame(frame: Uint8Array, subject: string): void;
  /** The server does not let us hear a subject. */
  refused(subject: string, error: unknown): void;
}

export class Hearing {
  readonly #connection: NatsConnectionLike;
  readonly #subjects: Subjects;
  readonly #listener: HearingListener;
  readonly #subscriptions = new Map<string, NatsSubscriptionLike>();
  #isOver = false;

  constructor(connection: NatsConnectionLike, subjects: Subjects, listener: HearingListener) {
    this.#connection = connection;
    this.#subjects = subjects;
    this.#listener = listener;
  }

  /** Whether something that should be heard is not subscribed to. */
  get isDeaf(): boolean {
    const { all, mine } = this.#subjects;
    return this.#isClosed(all) || this.#isClosed(mine);
  }

  /** Subscribes to whatever is not subscribed to. */
  listen(): void {
    const { all, mine } = this.#subjects;
    for (const subject of [all, mine]) if (this.#isClosed(subject)) this.#subscribe(subject);
  }

  stop(): void {
    this.#isOver = true;
    for (const subscription of this.#subscriptions.values()) {
      try {
        subscription.unsubscribe();
      } catch {
        // It is closed already, or its connection is.
      }
    }
    this.#subscriptions.clear();
  }

  #isClosed(subject: string): boolean {
    return this.#subscriptions.get(subject)?.isClosed() !== false;
  }

  #subscribe(subject: string): void {
    const callback = (error: Error | null, message: NatsMessageLike): void => {
      if (this.#isOver) return;
      if (error) this.#listener.refused(subject, error);
      else {
        const frame = new Uint8Array(message.data.subarray(0, FRAME_BYTES_MAX + 1));
        this.#listener.frame(frame, message.subject);
      }
    };
    try {
      this.#subscriptions.set(subject, this.#connection.subscribe(subject, { callback }));
    } catch (error) {
      this.#listener.refused(subject, error);
    }
  }
}
