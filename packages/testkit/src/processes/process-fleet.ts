/**
 * Replicas in processes of their own, which a test starts, stops, freezes and kills.
 *
 * Each process loads a module with `makeTransport` for the transport between them.
 */

import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type ReplicaPlan, ReplicaProcess } from "./replica-process.ts";

const SETTLE_MS_MAX = 15_000;
const POLL_MS = 50;
const WIDE_SIZE = 10;
const USUAL_SIZE = 3;

/** Whether long tests run: set by `npm run test:all`. */
export function isWideRun(): boolean {
  return Number(process.env["TIDEGATE_TEST_SCALE"] ?? 1) > 1;
}

/** The default number of processes in a fleet. */
export function fleetSize(): number {
  return isWideRun() ? WIDE_SIZE : USUAL_SIZE;
}

export interface ProcessFleetOptions extends Omit<ReplicaPlan, "namespace" | "transport" | "line"> {
  /** A module with `makeTransport`. */
  readonly transport: URL;
  /** The argument of each process's `makeTransport`, by the number of the process. */
  readonly line?: (number: number) => unknown;
  readonly env?: Readonly<Record<string, string>>;
}

export class ProcessFleet {
  readonly replicas: ReplicaProcess[] = [];
  readonly #options: ProcessFleetOptions;
  readonly #namespace = `test-${randomBytes(6).toString("hex")}`;

  constructor(options: ProcessFleetOptions) {
    this.#options = options;
  }

  /** Starts one more process. */
  start(number: number = this.replicas.length): ReplicaProcess {
    const { transport, line, env, ...rest } = this.#options;
    const plan = {
      ...rest,
      namespace: this.#namespace,
      transport: fileURLToPath(transport),
      line: line?.(number),
    };
    const replica = new ReplicaProcess(plan, { ...process.env, ...env });
    this.replicas.push(replica);
    return replica;
  }

  /** Starts some processes, and waits until each knows the others. */
  async startAll(count: number): Promise<ReplicaProcess[]> {
    const started = Array.from({ length: count }, () => this.start());
    await Promise.all(started.map((replica) => replica.ready()));
    return started;
  }

  /** The common result once all agree; if they do not agree in time, each one's result. */
  async settled(
    key: string,
    expected: number,
    among: readonly ReplicaProcess[] = this.replicas,
  ): Promise<number[]> {
    const end = Date.now() + SETTLE_MS_MAX;
    for (;;) {
      const views = await Promise.all(among.map((replica) => replica.view(key)));
      if (views.every((view) => view === expected) || Date.now() > end) return views;
      await pause(POLL_MS);
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.kill()));
  }
}
