/**
 * An application in a process of its own, as the scenario that times it sees it.
 *
 * Frameworks give each application prototypes of its own, so in a process with several of them nothing
 * is compiled as in a server with one.
 */

import { AskedProcess } from "../asked-process.ts";
import type { Lane } from "../measure/rounds.ts";
import { workerAt } from "../workers.ts";
import type { SiteParameters } from "./site-worker.ts";

export class SiteProcess implements Lane {
  readonly title: string;
  readonly parameters: SiteParameters;
  readonly #process: AskedProcess;

  constructor(parameters: SiteParameters) {
    this.title = `${parameters.framework}, ${parameters.limiter}`;
    this.parameters = parameters;
    const worker = workerAt("http/site-worker.js", parameters.workers);
    this.#process = new AskedProcess(this.title, worker, parameters);
  }

  /** Every round is the same, of one request after the other from each client in turn. */
  async prepare(): Promise<number> {
    return this.parameters.clients;
  }

  /** Nanoseconds per request. */
  time(): Promise<number> {
    return this.#process.ask({ step: "time" });
  }

  close(): void {
    this.#process.close();
  }
}
