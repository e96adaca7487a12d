/**
 * What a cluster reports to operators: events for subscribers, never so many that they bury each other,
 * and for a process without any subscriber one warning of the process.
 */

import { CLUSTER_EVENTS, type EventKind } from "./cluster-events.ts";
import { hearsClusters, publishCluster } from "./runtime/diagnostics.ts";
import { emitWarning } from "./runtime/emit-warning.ts";
import type { SteadyTime } from "./time/clock.ts";

const MINUTE_MS = 60_000;
/** Events that are published in a minute. */
const PUBLISHED_MAX = 30;

export interface ReportsOptions {
  readonly namespace: string;
  readonly time: SteadyTime;
  /** The id of this replica, which may change. */
  readonly replica: () => string;
}

export class Reports {
  /** How many events there were, published or not, and the last sentence. */
  troubles = 0;
  last: string | null = null;
  readonly #options: ReportsOptions;
  /** What has been printed: the first error, and the first hint that a process is alone. */
  readonly #printed = new Set<string>();
  #publishedAtMs: number[] = [];

  constructor(options: ReportsOptions) {
    this.#options = options;
  }

  take(message: string, kind: EventKind): void {
    this.troubles++;
    this.last = message;
    if (!hearsClusters()) {
      this.#print(message, kind);
      return;
    }
    const { namespace, time, replica } = this.#options;
    const now = time.read();
    this.#publishedAtMs = this.#publishedAtMs.filter((atMs) => now - atMs < MINUTE_MS);
    if (this.#publishedAtMs.length >= PUBLISHED_MAX) return;
    this.#publishedAtMs.push(now);
    const { code, severity } = kind;
    publishCluster({ namespace, replica: replica(), code, severity, message });
  }

  #print(message: string, { code, severity }: EventKind): void {
    const isHint = code === CLUSTER_EVENTS.alone.code;
    const reason = isHint ? code : severity;
    if ((severity !== "error" && !isHint) || this.#printed.has(reason)) return;
    this.#printed.add(reason);
    const { namespace } = this.#options;
    emitWarning({
      name: "TidegateWarning",
      message: `cluster "${namespace}": ${message}. Further events are only published, on the channel tidegate:cluster [${code}]`,
      code,
    });
  }
}
