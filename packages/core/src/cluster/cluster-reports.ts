/**
 * What a cluster reports to operators: events for subscribers, limited in number.
 *
 * Without any subscriber, the most serious ones are printed, so a log shows when an outage begins
 * and when it is over. An outage may begin within a minute of the last printed error. It is then
 * printed after that minute, if it is not over by then.
 */

import { CLUSTER_EVENTS, type EventKind } from "../base/cluster-events.ts";
import { clusterEvents } from "../runtime/diagnostics.ts";
import { emitWarning } from "../runtime/emit-warning.ts";
import type { SteadyTime } from "../time/clock.ts";

const MINUTE_MS = 60_000;
/** How often an outage is checked. */
const LOOK_MS = 1_000;
/** The most events that are published in a minute. */
const PUBLISHED_MAX = 30;
/** Warnings that are printed: nothing else shows such a mistake. */
const HINTS: readonly string[] = [
  CLUSTER_EVENTS.alone.code,
  CLUSTER_EVENTS.limiterAlone.code,
  CLUSTER_EVENTS.secretUndefined.code,
];
const ONLY_PUBLISHED = "events are only published, on the channel tidegate:cluster";

export interface ReportsOptions {
  readonly namespace: string;
  readonly time: SteadyTime;
  /** The id of this replica, which may change. */
  readonly replica: () => string;
  /** Whether the transport works, and no known replica is partitioned. */
  readonly isWell: () => boolean;
}

/** An error that began while limits were not shared, until they are. */
interface Outage {
  readonly message: string;
  readonly code: string;
  isPrinted: boolean;
}

export class Reports {
  /** How many warnings and errors there were, published or not, and the last sentence of them. */
  troubles = 0;
  last: string | null = null;
  readonly #options: ReportsOptions;
  /** What was printed once: hints by their code, and the first error that is not an outage. */
  readonly #printed = new Set<string>();
  /** When the last error was printed. */
  #failedAtMs = Number.NEGATIVE_INFINITY;
  #outage: Outage | undefined;
  #publishedAtMs: number[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;
  #isOver = false;

  constructor(options: ReportsOptions) {
    this.#options = options;
  }

  take(message: string, kind: EventKind): void {
    const { code, severity } = kind;
    if (severity !== "info") {
      this.troubles++;
      this.last = message;
    }
    if (clusterEvents.hasSubscribers) this.#publish(message, kind);
    if (severity === "info") this.#look(message, code);
    else if (HINTS.includes(code)) this.#printOnce(code, message, code);
    else if (severity === "error") this.#failed(message, code);
  }

  /** The cluster has been left: an outage is not checked any more. */
  end(): void {
    this.#isOver = true;
    clearInterval(this.#timer);
  }

  #publish(message: string, { code, severity }: EventKind): void {
    const { namespace, time, replica } = this.#options;
    const now = time.read();
    this.#publishedAtMs = this.#publishedAtMs.filter((atMs) => now - atMs < MINUTE_MS);
    if (this.#publishedAtMs.length >= PUBLISHED_MAX) return;
    this.#publishedAtMs.push(now);
    clusterEvents.publish({ namespace, replica: replica(), code, severity, message });
  }

  #failed(message: string, code: string): void {
    if (this.#outage !== undefined) return;
    if (this.#options.isWell()) {
      if (this.#printOnce("error", message, code)) this.#failedAtMs = this.#options.time.read();
      return;
    }
    if (this.#isOver) return;
    this.#outage = { message, code, isPrinted: false };
    const look = (): void => this.#look("the transport is connected", CLUSTER_EVENTS.reunited.code);
    this.#timer = setInterval(look, LOOK_MS).unref();
    look();
  }

  /** Prints that an outage goes on, if it may, or that it is over, if it was printed. */
  #look(end: string, endCode: string): void {
    const outage = this.#outage;
    if (outage === undefined) return;
    const { message, code, isPrinted } = outage;
    if (this.#options.isWell()) {
      clearInterval(this.#timer);
      this.#outage = undefined;
      if (isPrinted) this.#print(end, endCode);
      return;
    }
    const now = this.#options.time.read();
    if (isPrinted || now < this.#failedAtMs + MINUTE_MS || clusterEvents.hasSubscribers) return;
    outage.isPrinted = true;
    this.#failedAtMs = now;
    this.#print(`${message}. Further ${ONLY_PUBLISHED}, until this is over`, code);
  }

  #printOnce(what: string, message: string, code: string): boolean {
    if (this.#printed.has(what) || clusterEvents.hasSubscribers) return false;
    this.#printed.add(what);
    this.#print(`${message}. Most further ${ONLY_PUBLISHED}`, code);
    return true;
  }

  #print(sentence: string, code: string): void {
    if (clusterEvents.hasSubscribers) return;
    const message = `cluster "${this.#options.namespace}": ${sentence} [${code}]`;
    emitWarning({ name: "TidegateWarning", message, code });
  }
}
