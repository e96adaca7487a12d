/**
 * A cluster: the processes whose limiters of one name count towards one limit.
 *
 * Joining returns at once and counts at once. No request waits for anything here. Problems between
 * the processes are never thrown: they are published on `tidegate:cluster` and shown in the status.
 */

import { randomBytes } from "node:crypto";
import { CLUSTER_EVENTS } from "../base/cluster-events.ts";
import { TidegateError } from "../base/errors.ts";
import {
  flag,
  invalidOption,
  knownOptions,
  label,
  missingOption,
  oneOf,
  wholeNumber,
} from "../base/options.ts";
import { ReplicaDriver } from "../driver/replica-driver.ts";
import type { ReplicaHost } from "../driver/replica-host.ts";
import { SEPARATED_MODES, type SeparatedMode } from "../protocol/replica.ts";
import { insideOf, markAsMade, sharedState } from "../runtime/copies.ts";
import { asClock, type Clock, systemClock } from "../time/clock.ts";
import type { Transport } from "../transport/transport.ts";
import { Reports } from "./cluster-reports.ts";
import { type ClusterStatus, statusOf } from "./cluster-status.ts";

export type { ClusterStatus, OtherReplica } from "./cluster-status.ts";

const SECRET_UNDEFINED =
  "this process joined without a secret, because the given secret is undefined: other processes on this transport can make counts up. Look where the secret comes from, or leave 'secret' out if none is meant";

const READY_TIMEOUT_MS_MAX = 60_000;
const FLUSH_MS_MAX = 10_000;
/**
 * An attacker who listens can try secrets at leisure, so shorter ones than 128 bits are refused.
 */
const SECRET_BYTES_LEAST = 16;

/**
 * Transports that carry a cluster. Each joins one; a transport that failed to open has joined none.
 */
const joined: WeakSet<Transport> = sharedState("transports", () => new WeakSet<Transport>());

export interface ClusterOptions {
  /**
   * The transport between the processes, such as `ipcTransport()`. Each transport joins one
   * cluster.
   */
  readonly transport: Transport;
  /**
   * Processes with the same namespace share their limits. Needed if the transport reaches services
   * other than this one.
   *
   * @default "default"
   */
  readonly namespace?: string | undefined;
  /**
   * At least 16 random bytes that only these processes know. Frames of other senders are then
   * refused, and an attacker who listens cannot tell which keys are counted.
   */
  readonly secret?: string | Uint8Array | undefined;
  /**
   * How long `ready` waits at most for the counts of other processes.
   *
   * @default 3_000
   */
  readonly readyTimeoutMs?: number | undefined;
  /**
   * How long counts wait at most before they are published, for keys past half of their limit.
   * Urgent counts leave at once, and those of other keys after four times as long.
   *
   * @default 50
   */
  readonly flushMs?: number | undefined;
  /**
   * What a process allows in its first half second, until it has merged the counts of the others:
   * all of each limit, an even share of what it does not know to be used, or nothing.
   *
   * @default "share"
   */
  readonly onCold?: SeparatedMode | undefined;
  /**
   * Whether a limit that is nearly used up takes into account the hits that other processes have
   * counted and whose frames cannot have arrived yet. Without it, a key that receives many times its
   * limit gets some percent more than its limit.
   *
   * @default true
   */
  readonly anticipate?: boolean | undefined;
  /**
   * The clock of all limiters of this cluster; tests pass a manual one.
   *
   * @default the clock of this process
   */
  readonly clock?: Clock | undefined;
}

export interface Cluster {
  /**
   * Resolves when this process has merged the counts of the others, knows that it is alone, or has
   * waited for `readyTimeoutMs`. Never rejects. Limiters work before as well.
   */
  readonly ready: Promise<void>;
  /**
   * Publishes the counts that the others do not have yet, says that this process leaves, and closes
   * the limiters of this cluster. Resolves when that has left, or after some seconds if the
   * transport takes too little at a time or does not close.
   */
  leave(): Promise<void>;
  status(): ClusterStatus;
}

class JoinedCluster implements Cluster {
  readonly #driver: ReplicaDriver;
  readonly #namespace: string;
  readonly #reports: Reports;
  #ready: Promise<void> | undefined;

  constructor(options: ClusterOptions) {
    const { transport, namespace, secret, readyTimeoutMs, flushMs, onCold, clock, anticipates } =
      resolveClusterOptions(options);
    this.#namespace = namespace;
    this.#driver = new ReplicaDriver({
      id: randomBytes(8).toString("hex"),
      random: unguessable,
      ...{ transport, namespace, secret, readyTimeoutMs, flushMs, onCold, clock, anticipates },
      report: (message, kind) => this.#reports.take(message, kind),
    });
    const { replica, time } = this.#driver;
    this.#reports = new Reports({
      namespace,
      time,
      replica: () => replica.replicas.selfId,
      isWell: () => this.#driver.isConnected && !replica.partitionDetector.isPartitioned,
    });
    try {
      this.#driver.open();
    } catch (error) {
      this.#reports.end();
      throw error;
    }
    joined.add(transport);
    // `undefined` means absent everywhere, so it is not refused; but an unset variable is no
    // choice.
    if (secret === undefined && Object.hasOwn(options, "secret")) {
      this.#reports.take(SECRET_UNDEFINED, CLUSTER_EVENTS.secretUndefined);
    }
    markAsMade(this, "cluster", this.#driver);
  }

  get ready(): Promise<void> {
    this.#ready ??= keepingAwake(this.#driver.ready);
    return this.#ready;
  }

  leave(): Promise<void> {
    return keepingAwake(this.#driver.leave().finally(() => this.#reports.end()));
  }

  status(): ClusterStatus {
    return {
      ...statusOf(this.#driver),
      namespace: this.#namespace,
      troubles: this.#reports.troubles,
      lastTrouble: this.#reports.last,
    };
  }
}

/**
 * Joins this process to the processes with the same transport and namespace.
 *
 * @example
 * const cluster = joinCluster({ namespace: "shop", transport: ipcTransport() });
 * const limiter = createLimiter({
 *   name: "api",
 *   policy: fixedWindow({ limit: 100, windowMs: MINUTE }),
 *   cluster,
 * });
 */
export function joinCluster(options: ClusterOptions): Cluster {
  return new JoinedCluster(options);
}

/** Every option with its default filled in; throws for invalid options. */
function resolveClusterOptions(options: ClusterOptions) {
  knownOptions("joinCluster", options, [
    "transport",
    "namespace",
    "secret",
    "readyTimeoutMs",
    "flushMs",
    "onCold",
    "anticipate",
    "clock",
  ]);
  const { transport, namespace, secret } = options;
  if (transport === undefined) {
    throw missingOption("joinCluster", "transport", "for example ipcTransport()");
  }
  const { open, publish, close } = transport ?? {};
  if (![open, publish, close].every((method) => typeof method === "function")) {
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
  const { readyTimeoutMs = 3_000, flushMs = 50 } = options;
  return {
    transport,
    namespace: label("namespace", namespace ?? "default"),
    secret: secretOf(secret),
    readyTimeoutMs: wholeNumber("readyTimeoutMs", readyTimeoutMs, 0, READY_TIMEOUT_MS_MAX),
    flushMs: wholeNumber("flushMs", flushMs, 1, FLUSH_MS_MAX),
    onCold: oneOf("onCold", options.onCold ?? "share", SEPARATED_MODES),
    anticipates: flag("anticipate", options.anticipate ?? true),
    clock: asClock(options.clock, systemClock),
  };
}

function secretOf(secret: unknown): string | Uint8Array | undefined {
  if (secret === undefined) return undefined;
  const isBytes = typeof secret === "string" || secret instanceof Uint8Array;
  if (isBytes && Buffer.byteLength(secret) >= SECRET_BYTES_LEAST) return secret;
  // What it is stays out of messages.
  const given = isBytes ? `${Buffer.byteLength(secret)} bytes` : `a value of type ${typeof secret}`;
  throw new TidegateError(
    "TIDEGATE_OPTION_INVALID",
    `'secret' must be a string or bytes, at least ${SECRET_BYTES_LEAST} bytes long, got ${given}`,
  );
}

/** A number from 0 to 1, of 32 random bits. */
function unguessable(): number {
  return randomBytes(4).readUInt32LE() / 2 ** 32;
}

/** Often enough for a timer that does nothing. */
const AWAKE_MS = 60_000;

/**
 * A cluster does not keep the process alive, except while the program waits for one of its
 * promises.
 */
async function keepingAwake(awaited: Promise<void>): Promise<void> {
  const timer = setInterval(() => {}, AWAKE_MS);
  try {
    await awaited;
  } finally {
    clearInterval(timer);
  }
}

/** What runs the replica of a cluster; throws for anything else. */
export function hostOf(cluster: unknown): ReplicaHost {
  const driver = insideOf("cluster", "cluster", cluster);
  if (driver === undefined) {
    throw invalidOption("cluster", "what joinCluster returned", cluster);
  }
  return driver as ReplicaHost;
}
