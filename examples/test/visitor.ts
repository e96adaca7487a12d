/**
 * One client of a fleet, who asks its servers in turn, one request at a time.
 */

import { setTimeout as pause } from "node:timers/promises";
import { type Answer, ask } from "./asking.ts";
import type { ServerProcess } from "./server-process.ts";

interface Passed {
  readonly server: ServerProcess;
  readonly atMs: number;
}

export class Visitor {
  readonly passed: Passed[] = [];
  readonly refused: Answer[] = [];
  /** How many had passed when one was refused for the first time. */
  passedAtFirst: number | undefined;
  readonly #path: string;
  #servers: readonly ServerProcess[];
  #asked = 0;
  #isVisiting = false;
  #visits: Promise<unknown> = Promise.resolve();

  constructor(path: string, servers: readonly ServerProcess[]) {
    this.#path = path;
    this.#servers = servers;
  }

  /** Asks the next server. */
  async visit(): Promise<Answer> {
    const server = this.#servers[this.#asked++ % this.#servers.length]!;
    const answer = await ask(server.address, { path: this.#path });
    if (answer.status === 200) {
      this.passed.push({ server, atMs: performance.now() });
    } else {
      this.refused.push(answer);
      this.passedAtFirst ??= this.passed.length;
    }
    return answer;
  }

  async visits(count: number, betweenMs: number): Promise<Answer[]> {
    const answers: Answer[] = [];
    while (answers.length < count) {
      answers.push(await this.visit());
      await pause(betweenMs);
    }
    return answers;
  }

  /** Goes on asking until told to end. */
  begin(betweenMs: number): void {
    this.#isVisiting = true;
    const goOn = async (): Promise<void> => {
      while (this.#isVisiting) await this.visits(1, betweenMs);
    };
    this.#visits = goOn();
  }

  /** Ends what was begun; resolves when the last request has been answered. */
  async end(): Promise<void> {
    this.#isVisiting = false;
    await this.#visits;
  }

  asks(servers: readonly ServerProcess[]): void {
    this.#servers = servers;
  }
}
