/**
 * How much of the machine's processors is in use, by whomever: figures of a machine that has nothing
 * left to give say little about a program.
 */

import { cpus } from "node:os";

export class ProcessorUse {
  readonly #before = times();

  /** The part in use since this was made, from 0 to 1. */
  get share(): number {
    const now = times();
    const all = now.all - this.#before.all;
    return all === 0 ? 0 : 1 - (now.idle - this.#before.idle) / all;
  }
}

function times(): { idle: number; all: number } {
  let idle = 0;
  let all = 0;
  for (const { times: spent } of cpus()) {
    idle += spent.idle;
    all += spent.idle + spent.user + spent.sys + spent.nice + spent.irq;
  }
  return { idle, all };
}
