/**
 * A cluster: the processes whose limiters of one name count towards one limit.
 *
 * Joining returns at once and counts at once. Nothing here is waited for by a request, and nothing
 * that goes wrong between the processes is thrown: it is published on `tidegate:cluster` and can be
 * seen in the status.
 */

import { randomBytes } from "node:crypto";
import { type ClusterStatus, statusOf } from "./cluster-status.ts";
import { TidegateError } from "./errors.ts";
import {
  invalidOption,
  knownOptions,
  label,
  missingOption,
  oneOf,
  wholeNumber,
} from "./options.ts";
import { SEPARATED_MODES, type SeparatedMode } from "./replication/isolation.ts";
import { Replicator } from "./replication/replicator.ts";
import { publishCluster } from "./runtime/diagnostics.ts";
import { asClock, type Clock } from "./time/clock.ts";
import type { Transport } from "./transport/transport.ts";

const NAMESPACE_DEFAULT = "default";
const READY_TIMEOUT_MS_DEFAULT = 3_000;
const READY_TIMEOUT_MS_MAX = 60_000;
const FLUSH_MS_DEFAULT = 50;
const FLUSH_MS_MAX = 10_000;
/** Counts of keys far from their limit may wait longer. */
const FAR_FACTOR = 4;
const SPACING_MS = 5;

export interface ClusterOptions {
  /** What carries counts between processes, such as `ipcTransport()`. Each joins one cluster. */
  readonly transport: Transport;
  /**
   * Processes with the same namespace share their limits. Needed where the transport reaches other
   * services than this one.
   *
   * @default "default"
   */
  readonly namespace?: string | undefined;
  /**
   * Known to these processes alone: what others send is not believed then, and nobody who listens can
   * tell which keys are counted.
   */
  readonly secret?: string | Uint8Array | undefined;
  /**
   * How long `ready` waits at most for what others have counted.
   *
   * @default 3_000
   */
  readonly readyTimeoutMs?: number | undefined;
  /**
   * How long counts wait at most before others are told, for keys past half of their limit. Counts
   * that could matter are told at once, and those of other keys after four times as long.
   *
   * @default 50
   */
  readonly flushMs?: number | undefined;
  /**
   * What a process may let pass in the first half second, until it has heard the others: all of each
   * limit, an even share of what it does not know to be used, or nothing.
   *
   * @default "share"
   */
  readonly onCold?: SeparatedMode | undefined;
  /**
   * Where time comes from, for all limiters of this cluster; tests pass a manual one.
   *
   * @default the clock of this process
   */
  readonly clock?: Clock | undefined;
}

export interface Cluster {
  /**
   * Resolves when this process has heard what the others have counted, knows that it is alone, or has
   * waited `readyTimeoutMs`. Never rejects. Limiters work before as well.
   */
  readonly ready: Promise<void>;
  /**
   * Tells the others what has not been told, says goodbye, and closes the limiters of this cluster.
   * Resolves when that has left.
   */
  leave(): Promise<void>;
  status(): ClusterStatus;
}

const joined = new WeakSet<Transport>();

class JoinedCluster implements Cluster {
  readonly #replicator: Replicator;
  readonly #namespace: string;
  #ready: Promise<void> | undefined;
  #troubles = 0;
  #lastTrouble: string | null = null;

  constructor(options: ClusterOptions) {
    const { transport, namespace, secret, readyTimeoutMs, flushMs, onCold, clock } =
      resolved(options);
    this.#namespace = namespace;
    this.#replicator = new Replicator({
      ...{ transport, namespace, secret, readyTimeoutMs, onCold, clock },
      id: randomBytes(8).toString("hex"),
      random: Math.random,
      spacingMs: Math.min(SPACING_MS, flushMs),
      nearMs: flushMs,
      farMs: FAR_FACTOR * flushMs,
      report: (message) => this.#report(message),
    });
    joined.add(transport);
    this.#replicator.open();
  }

  get ready(): Promise<void> {
    this.#ready ??= keepingAwake(this.#replicator.arrival.ready);
    return this.#ready;
  }

  leave(): Promise<void> {
    return keepingAwake(this.#replicator.close());
  }

  status(): ClusterStatus {
    return {
      ...statusOf(this.#replicator),
      namespace: this.#namespace,
      troubles: this.#troubles,
      lastTrouble: this.#lastTrouble,
    };
  }

  /** @internal */
  static replicatorOf(cluster: unknown): Replicator {
    if (typeof cluster === "object" && cluster !== null && #replicator in cluster) {
      return (cluster as JoinedCluster).#replicator;
    }
    throw invalidOption("cluster", "what joinCluster returned", cluster);
  }

  #report(message: string): void {
    this.#troubles++;
    this.#lastTrouble = message;
    const replica = this.#replicator.replicas.selfId;
    publishCluster({ namespace: this.#namespace, replica, message });
  }
}

/**
 * Joins this process to those with the same transport and namespace.
 *
 * @example
 * const cluster = joinCluster({ transport: ipcTransport() });
 * const limiter = createLimiter({
 *   name: "api",
 *   policy: fixedWindow({ limit: 100, windowMs: MINUTE }),
 *   cluster,
 * });
 */
export function joinCluster(options: ClusterOptions): Cluster {
  return new JoinedCluster(options);
}

/** Nothing of a cluster keeps the process alive, but somebody who waits for something of it. */
async function keepingAwake(awaited: Promise<void>): Promise<void> {
  const timer = setInterval(() => {}, READY_TIMEOUT_MS_MAX);
  await awaited;
  clearInterval(timer);
}

/** What is behind a cluster; throws for what is none. */
export function replicatorOf(cluster: unknown): Replicator {
  return JoinedCluster.replicatorOf(cluster);
}

function resolved(options: ClusterOptions): Required<ClusterOptions> & {
  readonly namespace: string;
  readonly readyTimeoutMs: number;
  readonly flushMs: number;
  readonly onCold: SeparatedMode;
  readonly clock: Clock;
} {
  knownOptions("joinCluster", options, [
    "transport",
    "namespace",
    "secret",
    "readyTimeoutMs",
    "flushMs",
    "onCold",
    "clock",
  ]);
  const { transport, namespace, secret } = options;
  if (transport === undefined) {
    throw missingOption("joinCluster", "transport", "for example ipcTransport()");
  }
  if (typeof transport?.open !== "function" || typeof transport.publish !== "function") {
    throw invalidOption("transport", "a transport, such as ipcTransport()", transport);
  }
  if (joined.has(transport)) {
    throw new TidegateError(
      "TIDEGATE_OPTION_CONFLICT",
      "this transport has joined a cluster before: make another one, or use that cluster",
    );
  }
  if (namespace === undefined && transport.needsNamespace === true) {
    throw missingOption("joinCluster", "namespace", "a name of this service, such as 'shop'");
  }
  const { readyTimeoutMs = READY_TIMEOUT_MS_DEFAULT, flushMs = FLUSH_MS_DEFAULT } = options;
  return {
    transport,
    namespace: label("namespace", namespace ?? NAMESPACE_DEFAULT),
    secret: secretOf(secret),
    readyTimeoutMs: wholeNumber("readyTimeoutMs", readyTimeoutMs, 0, READY_TIMEOUT_MS_MAX),
    flushMs: wholeNumber("flushMs", flushMs, 1, FLUSH_MS_MAX),
    onCold: oneOf("onCold", options.onCold ?? "share", SEPARATED_MODES),
    clock: asClock(options.clock),
  };
}

function secretOf(secret: unknown): string | Uint8Array | undefined {
  if (secret === undefined) return undefined;
  const isBytes = secret instanceof Uint8Array && secret.length > 0;
  if (isBytes || (typeof secret === "string" && secret.length > 0)) return secret;
  // What it is stays out of messages.
  throw new TidegateError(
    "TIDEGATE_OPTION_INVALID",
    "'secret' must be a string or bytes, not empty",
  );
}
