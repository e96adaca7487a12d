/**
 * Replicas in processes of their own, started, stopped, frozen and killed by a test.
 *
 * What carries frames between them is a module with `makeTransport`, which each process loads.
 */

import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type ReplicaPlan, ReplicaProcess } from "./replica-process.ts";

const SETTLE_MS_MAX = 15_000;
const POLL_MS = 50;
const WIDE_SIZE = 10;
const USUAL_SIZE = 3;

/** Whether there is time for what takes long: set by `npm run test:all`. */
export function isWideRun(): boolean {
  return Number(process.env["TIDEGATE_TEST_SCALE"] ?? 1) > 1;
}

/** How many processes a fleet has unless a test needs a certain number. */
export function fleetSize(): number {
  return isWideRun() ? WIDE_SIZE : USUAL_SIZE;
}

export interface ProcessFleetOptions extends Omit<ReplicaPlan, "namespace" | "transport" | "line"> {
  /** A module with `makeTransport`. */
  readonly transport: URL;
  /** What `makeTransport` of each process is called with, from the number of the process on. */
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

  /** Starts some processes, and waits until they have heard of each other. */
  async startAll(count: number): Promise<ReplicaProcess[]> {
    const started = Array.from({ length: count }, () => this.start());
    await Promise.all(started.map((replica) => replica.ready()));
    return started;
  }

  /** What all see once they see the same, or what each sees when they do not for too long. */
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
