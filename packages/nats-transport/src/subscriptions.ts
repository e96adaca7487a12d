/**
 * The subscriptions of a replica on one connection: all frames come in here.
 *
 * The callbacks must not throw: a client whose callback throws stops reading for all users of the
 * connection. A payload is a view of the client's own buffers, so it is copied once. Of a payload
 * that is too long to be a frame, only enough is copied to show that. A subscription that the
 * server refuses or revokes is gone, and only this class subscribes again.
 */

import { FRAME_BYTES_MAX } from "@tidegate/core/transport";
import type { NatsConnectionLike, NatsMessageLike, NatsSubscriptionLike } from "./connection.ts";
import type { Subjects } from "./subjects.ts";

/** Must not throw. */
export interface SubscriptionsListener {
  frame(frame: Uint8Array, subject: string): void;
  /** The server does not let this process subscribe to a subject. */
  refused(subject: string, error: unknown): void;
}

export class Subscriptions {
  readonly #connection: NatsConnectionLike;
  readonly #subjects: Subjects;
  readonly #listener: SubscriptionsListener;
  readonly #subscriptions = new Map<string, NatsSubscriptionLike>();
  #isOver = false;

  constructor(connection: NatsConnectionLike, subjects: Subjects, listener: SubscriptionsListener) {
    this.#connection = connection;
    this.#subjects = subjects;
    this.#listener = listener;
  }

  /** Whether a subscription is missing. */
  get isIncomplete(): boolean {
    const { all, mine } = this.#subjects;
    return this.#isClosed(all) || this.#isClosed(mine);
  }

  /** Subscribes to each subject without a subscription. */
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
