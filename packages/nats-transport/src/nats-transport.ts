/**
 * The transport over NATS, with either of its two clients.
 *
 * NATS may be absent, frozen or gone at any time, and a limiter goes on counting without it. So
 * nothing here waits, throws or keeps more than a bounded amount. Problems are reported. Lost
 * counts are published again once the transport reports that it is connected.
 */

import type { EventKind, Transport, TransportContext } from "@tidegate/core/transport";
import {
  FRAME_BYTES_MAX,
  invalidOption,
  knownOptions,
  missingOption,
} from "@tidegate/core/transport";
import { AloneHint } from "./alone-hint.ts";
import {
  isConnection,
  isPromise,
  type NatsConnectionLike,
  type NatsConnectionSource,
  settledWithin,
} from "./connection.ts";
import { ConnectionSupply, closeQuietly } from "./connection-supply.ts";
import { NATS_EVENTS } from "./events.ts";
import { Link } from "./link.ts";
import { adviceOn } from "./settings.ts";
import { Subjects, subjectPrefix } from "./subjects.ts";
import type { NatsTransportState, NatsTransportStatus } from "./transport-status.ts";

export interface NatsTransportOptions {
  /**
   * A connection from `connect` of `nats` or `@nats-io/transport-node`, a promise of one, or a
   * function that creates one. The transport replaces and closes only what a function creates.
   */
  readonly connection: NatsConnectionSource;
  /**
   * What all subjects begin with: words of letters, digits, `_` and `-`, with dots between them.
   *
   * @default "tidegate"
   */
  readonly subject?: string | undefined;
}

export interface NatsTransport extends Transport {
  readonly needsNamespace: true;
  readonly connected: boolean;
  readonly busy: boolean;
  readonly maxPayload: number;
  close(): Promise<void>;
  /** The status of the transport, for operators. */
  status(): NatsTransportStatus;
}

/** How long closing waits for a client to close its connection. */
const CLOSING_MS = 1_000;
/** How many different problems are remembered as reported. */
const TROUBLES_MAX = 64;
const EXPECTED =
  "a connection of 'nats' or '@nats-io/transport-node', a promise of one, or a function that makes one";

class TransportOverNats implements NatsTransport {
  readonly needsNamespace = true;
  readonly #source: NatsConnectionSource;
  readonly #prefix: string;
  #receive: ((frame: Uint8Array) => void) | undefined;
  #context: TransportContext | undefined;
  #connectionSupply: ConnectionSupply | undefined;
  #connection: NatsConnectionLike | undefined;
  #link: Link | undefined;
  #aloneHint: AloneHint | undefined;
  #closing: Promise<void> | undefined;
  /** The state while there is no link. */
  #state: NatsTransportState = "closed";
  readonly #troubles = new Set<string>();
  #wasConnected = false;
  #wasBusy = false;
  /** The frames of earlier links. */
  #framesSent = 0;
  #framesDropped = 0;

  constructor(source: NatsConnectionSource, prefix: string) {
    this.#source = source;
    this.#prefix = prefix;
  }

  get connected(): boolean {
    return this.#link?.state === "connected";
  }

  get busy(): boolean {
    return (this.#link?.sender.waitingBytes ?? 0) > 0;
  }

  get maxPayload(): number {
    return this.#link?.maxPayload ?? FRAME_BYTES_MAX;
  }

  open(receive: (frame: Uint8Array) => void, context: TransportContext): void {
    if (this.#closing !== undefined) return;
    this.#receive = receive;
    this.#context = context;
    this.#state = "connecting";
    this.#connectionSupply = new ConnectionSupply({
      source: this.#source,
      take: (connection) => this.#use(connection),
      report: (trouble, kind) => this.#report(trouble, kind),
      failed: () => {
        this.#state = "ended";
        this.#look();
      },
    });
    this.#connectionSupply.start();
  }

  publish(frame: Uint8Array, to?: string): boolean {
    if (this.#receive === undefined) return false;
    if (this.#link === undefined) {
      this.#framesDropped++;
      return false;
    }
    const isTaken = this.#link.publish(frame, to);
    if (this.busy) this.#wasBusy = true;
    return isTaken;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  status(): NatsTransportStatus {
    const link = this.#link;
    return {
      state: this.#closing === undefined ? (link?.state ?? this.#state) : "closed",
      server: this.#connection?.getServer(),
      framesSent: this.#framesSent + (link?.sender.framesSent ?? 0),
      framesDropped: this.#framesDropped + (link?.framesDropped ?? 0),
      waitingBytes: link?.sender.waitingBytes ?? 0,
      roundTripMs: link?.sender.roundTripMs,
    };
  }

  #use(connection: NatsConnectionLike): void {
    const context = this.#context;
    if (context === undefined || this.#closing !== undefined) return;
    this.#connection = connection;
    if (this.#connectionSupply?.isOwner === false) this.#advise(connection);
    const subjects = new Subjects(this.#prefix, context.namespace, context.replica);
    this.#aloneHint ??= new AloneHint(subjects, (hint) => this.#report(hint, NATS_EVENTS.alone));
    this.#link = new Link({
      connection,
      subjects,
      receive: (frame, subject) => this.#deliver(frame, subject),
      report: (trouble, kind) => this.#report(trouble, kind),
      changed: () => this.#look(),
      stuck: () => this.#stuck(connection),
      ended: (why) => this.#ended(why),
    });
    this.#link.start();
  }

  #advise(connection: NatsConnectionLike): void {
    const advice = adviceOn(connection);
    if (advice.length > 0)
      this.#report(
        `the NATS connection can be lost for good: ${advice.join("; ")}`,
        NATS_EVENTS.settings,
      );
  }

  #deliver(frame: Uint8Array, subject: string): void {
    this.#aloneHint?.received(subject);
    try {
      this.#receive?.(frame);
    } catch (error) {
      this.#report(`a receiver threw: ${String(error)}`, NATS_EVENTS.listener);
    }
  }

  #ended(why: string): void {
    const next = this.#connectionSupply?.isOwner
      ? "the transport makes another one"
      : "no limits are shared from now on. Give natsTransport a function that connects, and it makes another";
    // First replace the link: a problem of a transport that works is no reason why it is away.
    this.#replace();
    this.#report(
      `the NATS connection has been closed${why && ` (${why})`}: ${next}`,
      this.#connectionSupply?.isOwner ? NATS_EVENTS.lost : NATS_EVENTS.ended,
    );
  }

  #stuck(connection: NatsConnectionLike): void {
    if (this.#connectionSupply?.isOwner !== true) {
      this.#report(
        "the NATS server has not answered for seconds, and its client may never notice: close the connection and make another, or give natsTransport a function that does so",
        NATS_EVENTS.lost,
      );
      return;
    }
    this.#report(
      "the NATS server does not answer any more: the transport makes another connection",
      NATS_EVENTS.lost,
    );
    this.#replace();
    void closeQuietly(connection);
  }

  #replace(): void {
    this.#dropLink();
    this.#state = "disconnected";
    this.#connectionSupply?.again();
    this.#look();
  }

  #dropLink(): void {
    const link = this.#link;
    if (link === undefined) return;
    this.#link = undefined;
    link.abandon();
    this.#framesSent += link.sender.framesSent;
    this.#framesDropped += link.framesDropped;
  }

  /** Calls `changed` if frames can leave now and could not before, or the other way round. */
  #look(): void {
    const { connected, busy } = this;
    const isBack = connected && !this.#wasConnected;
    const isNews = connected !== this.#wasConnected || (this.#wasBusy && !busy);
    this.#wasConnected = connected;
    this.#wasBusy = busy;
    this.#aloneHint?.look(connected);
    if (isBack) {
      this.#connectionSupply?.worked();
      this.#troubles.clear();
    }
    if (!isNews || this.#receive === undefined) return;
    try {
      this.#context?.changed?.();
    } catch (error) {
      this.#report(`a listener threw: ${String(error)}`, NATS_EVENTS.listener);
    }
  }

  /** Reports each problem once, until the connection has worked again. */
  #report(trouble: string, kind: EventKind): void {
    if (this.#closing !== undefined || this.#troubles.has(trouble)) return;
    if (this.#troubles.size >= TROUBLES_MAX) this.#troubles.clear();
    this.#troubles.add(trouble);
    try {
      this.#context?.report?.(trouble, kind);
    } catch {
      // There is no other place to report to.
    }
  }

  async #close(): Promise<void> {
    this.#receive = undefined;
    this.#aloneHint?.end();
    this.#connectionSupply?.stop();
    const connection = this.#connection;
    await this.#link?.close();
    this.#dropLink();
    if (connection === undefined || this.#connectionSupply?.isOwner !== true) return;
    await settledWithin(CLOSING_MS, closeQuietly(connection));
  }
}

/**
 * Connects all processes that use the same NATS servers and the same namespace.
 *
 * @example
 * const cluster = joinCluster({
 *   namespace: "shop",
 *   transport: natsTransport({ connection: () => connect({ servers: "nats://127.0.0.1:4222" }) }),
 * });
 */
export function natsTransport(options: NatsTransportOptions): NatsTransport {
  knownOptions("natsTransport", options, ["connection", "subject"]);
  const { connection, subject } = options;
  if (connection === undefined) throw missingOption("natsTransport", "connection", EXPECTED);
  if (typeof connection !== "function" && !isPromise(connection) && !isConnection(connection)) {
    throw invalidOption("connection", EXPECTED, connection);
  }
  // The promise may reject before a cluster joins, which then reports it; that must not end the
  // process.
  if (isPromise(connection)) Promise.resolve(connection).catch(() => {});
  return new TransportOverNats(connection, subjectPrefix(subject));
}
