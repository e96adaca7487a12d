/**
 * A NATS connection in memory whose server does what a test says, when the test says so.
 */

import type { NatsConnectionLike, NatsMessageLike } from "@tidegate/nats-transport";

type Callback = (error: Error | null, message: NatsMessageLike) => void;

interface Flush {
  resolve(): void;
  reject(error: Error): void;
}

export class FakeConnection implements NatsConnectionLike {
  info: { max_payload: number } | undefined = { max_payload: 1_048_576 };
  readonly options: Readonly<Record<string, unknown>>;
  readonly published: { readonly subject: string; readonly payload: Uint8Array }[] = [];
  readonly subscribed = new Map<string, Callback>();
  /** Flushes that the server has not answered. */
  readonly flushes: Flush[] = [];
  /** Whether it answers at once. */
  answers = true;
  refusesSubscriptions = false;
  #isClosed = false;
  #events: object[] = [];
  #wake: () => void = () => {};
  #close: (error?: Error) => void = () => {};
  readonly #closed: Promise<unknown>;

  constructor(options: Readonly<Record<string, unknown>> = {}) {
    this.options = options;
    this.#closed = new Promise((resolve) => {
      this.#close = resolve;
    });
  }

  publish(subject: string, payload: Uint8Array): void {
    if (this.#isClosed) throw new Error("CONNECTION_CLOSED");
    this.published.push({ subject, payload });
  }

  subscribe(subject: string, { callback }: { callback: Callback }) {
    if (this.#isClosed) throw new Error("CONNECTION_CLOSED");
    this.subscribed.set(subject, callback);
    if (this.refusesSubscriptions) queueMicrotask(() => this.refuse(subject));
    const isCurrent = (): boolean => this.subscribed.get(subject) === callback;
    return {
      unsubscribe: () => {
        if (isCurrent()) this.subscribed.delete(subject);
      },
      isClosed: () => !isCurrent(),
    };
  }

  flush(): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error("CONNECTION_CLOSED"));
    if (this.answers) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.flushes.push({ resolve, reject });
    });
  }

  async *status(): AsyncGenerator<{ readonly type: string }> {
    for (;;) {
      for (const event of this.#events.splice(0)) yield event as { type: string };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  closed(): Promise<unknown> {
    return this.#closed;
  }

  isClosed(): boolean {
    return this.#isClosed;
  }

  close(error?: Error): Promise<void> {
    this.#isClosed = true;
    this.subscribed.clear();
    this.#close(error);
    return Promise.resolve();
  }

  getServer(): string {
    return "127.0.0.1:4222";
  }

  /** Emits an event about the connection, as the client would. */
  tell(event: { readonly type: string } & Readonly<Record<string, unknown>>): void {
    this.#events.push(event);
    this.#wake();
  }

  /** Answers everything, now and from now on at once. */
  thaw(): void {
    this.answers = true;
    for (const { resolve } of this.flushes.splice(0)) resolve();
  }

  /** Revokes a subscription. */
  refuse(subject: string): void {
    const callback = this.subscribed.get(subject);
    this.subscribed.delete(subject);
    callback?.(new Error("PERMISSIONS_VIOLATION"), {} as NatsMessageLike);
  }

  deliver(pattern: string, subject: string, data: Uint8Array): void {
    this.subscribed.get(pattern)?.(null, { subject, data });
  }
}

/** Runs everything that waits for promises only. */
export async function turn(): Promise<void> {
  for (let times = 0; times < 20; times++) await Promise.resolve();
}
