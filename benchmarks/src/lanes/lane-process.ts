/**
 * A lane in a process of its own, as the scenario that times it sees it.
 *
 * Processes get the flags of the one that starts them, and end when it closes them or ends. What
 * goes wrong in one rejects the request it was given; one that ends by itself rejects the next too.
 */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Spread } from "../distribution.ts";
import type { Lane } from "../rounds.ts";
import type { LaneReply, LaneRequest } from "./lane-worker.ts";
import type { LaneParameters } from "./subject-lane.ts";

export class LaneProcess implements Lane {
  readonly title: string;
  readonly parameters: LaneParameters;
  readonly #child: ChildProcess;
  readonly #ended: Promise<never>;

  /** Starts the process, which fills its subject at once. */
  constructor(parameters: LaneParameters) {
    this.title = [parameters.subject, parameters.verdict].filter(Boolean).join(", ");
    this.parameters = parameters;
    const worker = fileURLToPath(new URL("./lane-worker.js", import.meta.url));
    // Standard output belongs to the records of the scenario.
    this.#child = fork(worker, [JSON.stringify(parameters)], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.#ended = new Promise((_, reject) => {
      this.#child.on("error", reject);
      this.#child.on("exit", (code, signal) =>
        reject(new Error(`${this.title}: its process ended by ${signal ?? `exit code ${code}`}`)),
      );
    });
    this.#ended.catch(() => {}); // Whoever waits for a reply hears of it.
  }

  /** Resolves when the subject holds all keys; to be called once, and before anything else. */
  async filled(): Promise<void> {
    await this.#reply();
  }

  async warmUp(spread: Spread): Promise<void> {
    await this.#ask({ step: "warmUp", spread });
  }

  prepare(): Promise<number> {
    return this.#ask({ step: "prepare" });
  }

  time(): Promise<number> {
    return this.#ask({ step: "time" });
  }

  close(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  async #ask(request: LaneRequest): Promise<number> {
    this.#child.send(request);
    return await this.#reply();
  }

  async #reply(): Promise<number> {
    const [reply] = (await Promise.race([once(this.#child, "message"), this.#ended])) as [
      LaneReply,
    ];
    if ("error" in reply) throw new Error(`${this.title}: ${reply.error}`);
    return reply.value;
  }
}
