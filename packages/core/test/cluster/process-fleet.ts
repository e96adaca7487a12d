/**
 * Replicas in processes of their own, started, stopped, frozen and killed by a test.
 */

import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("fleet-process.mjs", import.meta.url));
const SETTLE_MS_MAX = 15_000;

/** What a burst of requests came to. */
export interface HitResult {
  readonly allowed: number;
  readonly longestMs: number;
}

export class ReplicaProcess {
  readonly child: ChildProcess;
  #asked = 0;
  readonly #waiting = new Map<number, (answer: unknown) => void>();

  constructor(args: readonly string[], env: NodeJS.ProcessEnv) {
    this.child = fork(SCRIPT, args, { env });
    this.child.on("message", (message) => {
      const { id, answer } = message as { id: number; answer: unknown };
      this.#waiting.get(id)?.(answer);
      this.#waiting.delete(id);
    });
  }

  hit(key: string, times: number, overMs = 0): Promise<HitResult> {
    return this.#ask("hit", key, times, overMs) as Promise<HitResult>;
  }

  view(key: string): Promise<number> {
    return this.#ask("view", key) as Promise<number>;
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
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.child.send({ id, command, given });
    });
  }
}

export interface ProcessFleetOptions {
  readonly limit: number;
  /** A module with `makeTransport`. */
  readonly transport: URL;
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
  start(): ReplicaProcess {
    const { limit, transport, env } = this.#options;
    const args = [this.#namespace, String(limit), fileURLToPath(transport)];
    const replica = new ReplicaProcess(args, { ...process.env, ...env });
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
  async settled(key: string, expected: number, among = this.replicas): Promise<number[]> {
    const end = Date.now() + SETTLE_MS_MAX;
    for (;;) {
      const views = await Promise.all(among.map((replica) => replica.view(key)));
      if (views.every((view) => view === expected) || Date.now() > end) return views;
      await pause(50);
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.kill()));
  }
}
