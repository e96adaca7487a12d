/** One replica in a process of its own, as its parent sees it. */

import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { ClusterOptions, ClusterStatus, Decision, LimiterOptions } from "@tidegate/core";

const PROGRAM = fileURLToPath(new URL("replica-program.mjs", import.meta.url));
/**
 * Node flags for many processes on few cores. By default each process has four threads for
 * compiling and garbage collection and waits for their turn, and it collects garbage after each
 * megabyte.
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
  /** The path of a module with `makeTransport`, and the argument of that function. */
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
  /** Whether each request has a key of its own, so that no later frame repeats a count. */
  readonly isScattered?: boolean;
  /** The number of keys of a scattered flow; unlimited when absent. */
  readonly keys?: number;
  /** Whether the time of each allowed hit is recorded. */
  readonly isRecorded?: boolean;
}

/** The result of a burst of requests. */
export interface BurstResult {
  readonly allowed: number;
  readonly longestMs: number;
}

/** The result of a period of traffic. */
export interface TrafficFigures {
  /** By key, since the traffic began. */
  readonly keys: Readonly<Record<string, { readonly offered: number; readonly allowed: number }>>;
  readonly checks: number;
  readonly medianUs: number;
  readonly p99Us: number;
  readonly longestMs: number;
  /** The same, restricted to moments in which no other process had the processor. */
  readonly longestAloneMs: number;
  readonly threw: number;
  /** Decisions that reported a partition. */
  readonly degraded: number;
  /** The worst delay of the process behind its schedule. */
  readonly longestPauseMs: number;
  /** For recorded keys: when each hit was allowed, and how long its window had left. */
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
    // Without the test runner's own flags, which would load sources.
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

  /** The sum over this many keys of a scattered flow. */
  sum(key: string, count: number): Promise<number> {
    return this.#ask("sum", key, count) as Promise<number>;
  }

  async view(key: string): Promise<number> {
    return (await this.peek(key)).used;
  }

  async begin(...flows: readonly Flow[]): Promise<void> {
    await this.#ask("begin", flows);
  }

  /** The figures since the last call, while the traffic continues. */
  figures(): Promise<TrafficFigures> {
    return this.#ask("figures") as Promise<TrafficFigures>;
  }

  /** Stops the traffic. */
  end(): Promise<TrafficFigures> {
    return this.#ask("end") as Promise<TrafficFigures>;
  }

  status(): Promise<ClusterStatus> {
    return this.#ask("status") as Promise<ClusterStatus>;
  }

  /** Everything published on `tidegate:cluster`. */
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
