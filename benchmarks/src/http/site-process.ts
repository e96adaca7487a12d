/**
 * An application in a process of its own, as the scenario that times it sees it.
 *
 * Frameworks give each application prototypes of its own, so in a process with several of them nothing
 * is compiled as in a server with one. A process ends when it is closed, or with the one that started it.
 */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Lane } from "../rounds.ts";
import type { SiteParameters, SiteReply } from "./site-worker.ts";

export class SiteProcess implements Lane {
  readonly title: string;
  readonly parameters: SiteParameters;
  readonly #child: ChildProcess;
  readonly #ended: Promise<never>;

  constructor(parameters: SiteParameters) {
    this.title = `${parameters.framework}, ${parameters.limiter}`;
    this.parameters = parameters;
    const worker = fileURLToPath(new URL("./site-worker.js", import.meta.url));
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

  /** Every round is the same, of one request after the other from each client in turn. */
  async prepare(): Promise<number> {
    return this.parameters.clients;
  }

  /** Nanoseconds per request. */
  async time(): Promise<number> {
    this.#child.send("time");
    const [reply] = (await Promise.race([once(this.#child, "message"), this.#ended])) as [
      SiteReply,
    ];
    if ("error" in reply) throw new Error(`${this.title}: ${reply.error}`);
    return reply.ns;
  }

  close(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}
