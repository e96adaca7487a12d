/**
 * A process that does one thing at a time when it is asked, and answers with a number.
 *
 * It gets the flags of the one that starts it, and ends when it is closed or with that one. What goes
 * wrong in it rejects the question it was asked; one that ends by itself rejects the next too.
 */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** What such a process sends. */
export type Reply = { readonly value: number } | { readonly error: string };

export class AskedProcess {
  readonly #title: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<never>;

  /** @param worker the module to run, which gets `parameters` as JSON */
  constructor(title: string, worker: URL, parameters: unknown) {
    this.#title = title;
    // Standard output belongs to the records of the scenario.
    this.#child = fork(fileURLToPath(worker), [JSON.stringify(parameters)], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.#ended = new Promise((_, reject) => {
      this.#child.on("error", reject);
      this.#child.on("exit", (code, signal) =>
        reject(new Error(`${title}: its process ended by ${signal ?? `exit code ${code}`}`)),
      );
    });
    this.#ended.catch(() => {}); // The reply's promise reports it.
  }

  /** Asks for something; the answer is a reply. */
  async ask(question: object): Promise<number> {
    this.#child.send(question);
    return await this.reply();
  }

  /** The next thing that the process says. */
  async reply(): Promise<number> {
    const said = Promise.race([once(this.#child, "message"), this.#ended]);
    const [reply] = (await said) as [Reply];
    if ("error" in reply) throw new Error(`${this.#title}: ${reply.error}`);
    return reply.value;
  }

  close(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}
