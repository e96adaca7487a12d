/**
 * A lane in a process of its own, as the scenario that times it sees it.
 */

import { AskedProcess } from "../asked-process.ts";
import type { Spread } from "../measure/distribution.ts";
import type { Lane } from "../measure/rounds.ts";
import { workerAt } from "../workers.ts";
import type { LaneRequest } from "./lane-worker.ts";
import type { LaneParameters } from "./subject-lane.ts";

export class LaneProcess implements Lane {
  readonly title: string;
  readonly parameters: LaneParameters;
  readonly #process: AskedProcess;

  /** Starts the process, which fills its subject at once. */
  constructor(parameters: LaneParameters) {
    this.title = [parameters.subject, parameters.verdict].filter(Boolean).join(", ");
    this.parameters = parameters;
    const worker = workerAt("lanes/lane-worker.js", parameters.workers);
    this.#process = new AskedProcess(this.title, worker, parameters);
  }

  /** Resolves when the subject holds all keys; to be called once, and before anything else. */
  async filled(): Promise<void> {
    await this.#process.reply();
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
    this.#process.close();
  }

  #ask(request: LaneRequest): Promise<number> {
    return this.#process.ask(request);
  }
}
