/**
 * One replica in a process of its own, as its parent sees it.
 */

import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { ClusterOptions, ClusterStatus, Decision, LimiterOptions } from "@tidegate/core";

const PROGRAM = fileURLToPath(new URL("replica-program.mjs", import.meta.url));
/**
 * Flags of Node for many processes on few cores. By itself each has four threads that compile and free
 * memory, and waits for them to have their turn; and it frees memory after each megabyte.
 */
export const PROCESS_FLAGS: readonly string[] = (
  process.env["TIDEGATE_PROCESS_FLAGS"] ?? "--v8-pool-size=1 --min-semi-space-size=16"
)
  .split(" ")
  .filter(Boolean);

/** A policy as data: the name of the function that makes it, and its options. */
export interface PolicyPlan {
  readonly kind: "fixedWindow" | "slidingWindow" | "slidingLog" | "tokenBucket" | "leakyBucket";
  readonly [option: string]: unknown;
}

export interface ReplicaPlan {
  readonly namespace: string;
  readonly policy: PolicyPlan;
  /** The path of a module with `makeTransport`, and what that is called with. */
  readonly transport: string;
  readonly line: unknown;
  readonly cluster?:
    | Pick<ClusterOptions, "onCold" | "readyTimeoutMs" | "flushMs" | "secret">
    | undefined;
  readonly onPartition?: LimiterOptions["onPartition"];
}

/** Requests for one key, spread evenly over time. */
export interface Flow {
  readonly key: string;
  readonly perSecond: number;
  /** Whether each request is for a key of its own: what one frame says of it, no later one repeats. */
  readonly isScattered?: boolean;
  /** Over how many keys a scattered flow goes round; without end when absent. */
  readonly keys?: number;
  /** Whether the time of each hit that is allowed is kept. */
  readonly isRecorded?: boolean;
}

/** What a burst of requests came to. */
export interface BurstResult {
  readonly allowed: number;
  readonly longestMs: number;
}

/** What a stretch of traffic came to. */
export interface TrafficFigures {
  /** By key, since the traffic began. */
  readonly keys: Readonly<Record<string, { readonly offered: number; readonly allowed: number }>>;
  readonly checks: number;
  readonly medianUs: number;
  readonly p99Us: number;
  readonly longestMs: number;
  /** The same, of moments in which no other process was given the processor. */
  readonly longestAloneMs: number;
  readonly threw: number;
  /** Decisions that said of themselves that the replica was cut off. */
  readonly degraded: number;
  /** How much later than planned the process came to run at worst. */
  readonly longestPauseMs: number;
  /** Of recorded keys: when a hit was allowed, and how long its window then had to go. */
  readonly admissions: readonly (readonly [atMs: number, resetMs: number])[];
}

type PlainDecision = Pick<
  Decision,
  "allowed" | "used" | "remaining" | "retryAfterMs" | "resetMs" | "degraded" | "reason"
>;

interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class ReplicaProcess {
  readonly child: ChildProcess;
  #asked = 0;
  readonly #waiting = new Map<number, Waiting>();

  constructor(plan: ReplicaPlan, env: Readonly<Record<string, string | undefined>>) {
    // Without what the test runner was started with, which would lead to sources.
    this.child = fork(PROGRAM, [JSON.stringify(plan)], {
      env,
      execArgv: [...PROCESS_FLAGS],
    });
    this.child.on("message", (answered) => {
      const { id, answer } = answered as { id: number; answer: unknown };
      this.#waiting.get(id)?.resolve(answer);
      this.#waiting.delete(id);
    });
    this.child.once("exit", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("the process has ended"));
      this.#waiting.clear();
    });
  }

  hit(key: string, times: number, overMs = 0): Promise<BurstResult> {
    return this.#ask("hit", key, times, overMs) as Promise<BurstResult>;
  }

  check(key: string): Promise<PlainDecision> {
    return this.#ask("check", key) as Promise<PlainDecision>;
  }

  peek(key: string): Promise<PlainDecision> {
    return this.#ask("peek", key) as Promise<PlainDecision>;
  }

  /** What was used of so many keys of a scattered flow. */
  sum(key: string, count: number): Promise<number> {
    return this.#ask("sum", key, count) as Promise<number>;
  }

  async view(key: string): Promise<number> {
    return (await this.peek(key)).used;
  }

  async begin(...flows: readonly Flow[]): Promise<void> {
    await this.#ask("begin", flows);
  }

  /** What happened since this was asked last, while the traffic goes on. */
  figures(): Promise<TrafficFigures> {
    return this.#ask("figures") as Promise<TrafficFigures>;
  }

  /** Ends the traffic that was begun. */
  end(): Promise<TrafficFigures> {
    return this.#ask("end") as Promise<TrafficFigures>;
  }

  status(): Promise<ClusterStatus> {
    return this.#ask("status") as Promise<ClusterStatus>;
  }

  /** All that was published on `tidegate:cluster`. */
  events(): Promise<readonly string[]> {
    return this.#ask("events") as Promise<readonly string[]>;
  }

  async ready(): Promise<this> {
    await this.#ask("ready");
    return this;
  }

  async leave(): Promise<void> {
    const ended = this.#ended();
    await this.#ask("leave");
    await ended;
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = this.#ended();
    this.child.kill("SIGKILL");
    await ended;
  }

  #ended(): Promise<unknown> {
    return new Promise((resolve) => this.child.once("exit", resolve));
  }

  #ask(command: string, ...given: readonly unknown[]): Promise<unknown> {
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.child.send({ id, command, given }, (error) => {
        if (error !== null) reject(error);
      });
    });
  }
}
