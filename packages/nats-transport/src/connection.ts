/**
 * The part of a NATS connection that is used here: what the clients `nats` and
 * `@nats-io/transport-node` have in common.
 *
 * Neither is imported, so that either can be installed. Only methods accept the different errors
 * that the two clients pass to callbacks, so members are methods.
 */

/** What a NATS connection passes to a subscriber. */
export interface NatsMessageLike {
  readonly subject: string;
  readonly data: Uint8Array;
}

/** A connection made by `connect` of `nats` 2 or `@nats-io/transport-node` 3. */
export interface NatsConnectionLike {
  /** What the server has said about itself; absent while the client is dialling. */
  readonly info?: { readonly max_payload: number } | undefined;
  publish(subject: string, payload: Uint8Array): void;
  subscribe(
    subject: string,
    options: { callback(error: Error | null, message: NatsMessageLike): void },
  ): NatsSubscriptionLike;
  flush(): Promise<void>;
  status(): AsyncIterable<{ readonly type: string }>;
  /** Resolves when the connection is closed for good, with an error if there was one. */
  closed(): Promise<unknown>;
  isClosed(): boolean;
  close(): Promise<void>;
  getServer(): string;
}

export interface NatsSubscriptionLike {
  unsubscribe(): void;
  isClosed(): boolean;
}

/**
 * Where a connection comes from. The transport closes only the connections that a function creates.
 */
export type NatsConnectionSource =
  | NatsConnectionLike
  | PromiseLike<NatsConnectionLike>
  | (() => NatsConnectionLike | PromiseLike<NatsConnectionLike>);

const METHODS = [
  "publish",
  "subscribe",
  "flush",
  "status",
  "closed",
  "isClosed",
  "close",
  "getServer",
];

export function isConnection(value: unknown): value is NatsConnectionLike {
  if (typeof value !== "object" || value === null) return false;
  const members = value as Readonly<Record<string, unknown>>;
  return METHODS.every((method) => typeof members[method] === "function");
}

export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

interface ClientError {
  readonly message?: unknown;
  readonly code?: unknown;
  /** The error of Node behind it, in either client: of one attempt, or of all of them. */
  readonly cause?: unknown;
  readonly chainedError?: unknown;
  readonly errors?: readonly unknown[];
  readonly address?: unknown;
  readonly port?: unknown;
}

/** The message of a client's error, with its code and its address if they are known. */
export function describeError(error: unknown): string {
  const { message, code, cause, chainedError } = (error ?? {}) as ClientError;
  if (typeof message !== "string" || message === "") return String(code ?? error);
  const text =
    typeof code !== "string" || message.includes(code) ? message : `${message} (${code})`;
  const source = (cause ?? chainedError ?? {}) as ClientError;
  const { address, port } = (source.errors?.[0] ?? source) as ClientError;
  if (typeof address !== "string" || text.includes(`${address}:${port}`)) return text;
  return `${text} at ${address.includes(":") ? `[${address}]` : address}:${port}`;
}

/** Waits for a promise that never rejects, but no longer than this. */
export async function settledWithin(ms: number, awaited: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([awaited, late]);
  clearTimeout(timer);
}
