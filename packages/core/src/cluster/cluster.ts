/**
 * A cluster: the processes whose limiters of one name count towards one limit.
 *
 * Joining returns at once and counts at once. No request waits for anything here. Problems between
 * the processes are never thrown: they are published on `tidegate:cluster` and shown in the status.
 */

import { randomBytes } from "node:crypto";
import { CLUSTER_EVENTS } from "../base/cluster-events.ts";
import { invalidOption } from "../base/options.ts";
import { Replicator } from "../replication/replicator.ts";
import { insideOf, markAsMade } from "../runtime/copies.ts";
import { type ClusterOptions, joined, resolveClusterOptions } from "./cluster-options.ts";
import { Reports } from "./cluster-reports.ts";
import { type ClusterStatus, statusOf } from "./cluster-status.ts";

export type { ClusterOptions } from "./cluster-options.ts";

/** Counts of keys far from their limit may wait longer. */
const FAR_FACTOR = 4;
const SPACING_MS = 5;
const SECRET_UNDEFINED =
  "this process joined without a secret, because the given secret is undefined: other processes on this transport can make counts up. Look where the secret comes from, or leave 'secret' out if none is meant";

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
  readonly #replicator: Replicator;
  readonly #namespace: string;
  readonly #reports: Reports;
  #ready: Promise<void> | undefined;

  constructor(options: ClusterOptions) {
    const { transport, namespace, secret, readyTimeoutMs, flushMs, onCold, clock } =
      resolveClusterOptions(options);
    this.#namespace = namespace;
    this.#replicator = new Replicator({
      ...{ transport, namespace, secret, readyTimeoutMs, onCold, clock },
      id: randomBytes(8).toString("hex"),
      random: Math.random,
      spacingMs: Math.min(SPACING_MS, flushMs),
      nearMs: flushMs,
      farMs: FAR_FACTOR * flushMs,
      report: (message, kind) => this.#reports.take(message, kind),
    });
    const { clock: time, replicas, sender, partitionDetector } = this.#replicator;
    this.#reports = new Reports({
      namespace,
      time: time.time,
      replica: () => replicas.selfId,
      isWell: () => sender.isConnected && !partitionDetector.isCut,
    });
    try {
      this.#replicator.open();
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
    markAsMade(this, "cluster", this.#replicator);
  }

  get ready(): Promise<void> {
    this.#ready ??= keepingAwake(this.#replicator.initialSync.ready);
    return this.#ready;
  }

  leave(): Promise<void> {
    return keepingAwake(this.#replicator.close().finally(() => this.#reports.end()));
  }

  status(): ClusterStatus {
    return {
      ...statusOf(this.#replicator),
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

/** The replicator behind a cluster; throws for anything else. */
export function replicatorOf(cluster: unknown): Replicator {
  const replicator = insideOf("cluster", "cluster", cluster);
  if (replicator === undefined) {
    throw invalidOption("cluster", "what joinCluster returned", cluster);
  }
  return replicator as Replicator;
}
