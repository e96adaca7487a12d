/**
 * A server in a process of its own, which prints the address that it listens at.
 *
 * It is told to end by its own id. It has a channel to the test that closes with that, whatever becomes of it.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { PROCESS_FLAGS } from "@tidegate/testkit";
import { type Answer, ask, type Question } from "./asking.ts";

/** Those that a limited server can be of. */
export const FRAMEWORKS: readonly string[] = ["express", "koa", "fastify"];

const ADDRESS = /http:\/\/127\.0\.0\.1:\d+/;

export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #listens: Promise<string>;
  #address = "";

  /** @param args the path of the program, and what it is given */
  constructor(...args: readonly string[]) {
    // Without what the test runner was started with, which would lead to sources.
    this.#child = spawn(process.execPath, [...PROCESS_FLAGS, ...args], {
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    this.#ended = once(this.#child, "exit");
    let output = "";
    this.#listens = new Promise((resolve, reject) => {
      this.#child.stdout?.on("data", (text) => {
        output += text;
        const [address] = ADDRESS.exec(output) ?? [];
        if (address !== undefined) resolve(address);
      });
      void this.#ended.then(() => reject(new Error(`the server has ended:\n${output}`)));
    });
    // It may be killed when no caller waits for it to listen.
    this.#listens.catch(() => {});
  }

  get address(): string {
    return this.#address;
  }

  /** Resolves when it listens. */
  async listens(): Promise<this> {
    this.#address = await this.#listens;
    return this;
  }

  ask(question: Question = {}): Promise<Answer> {
    return ask(this.#address, question);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends it as `kill -9` does; resolves when it is gone. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }
}
