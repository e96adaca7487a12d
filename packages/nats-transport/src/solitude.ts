/**
 * Hints at a mistake in the settings: a process that is connected and hears no other one.
 *
 * Processes with another namespace or subject meet at other subjects, and processes at other servers
 * meet nowhere, so neither ever hears a frame of the other. A process that is meant to be the only one
 * gets the hint as well.
 */

import type { Subjects } from "./subjects.ts";

/** How long a process is connected and hears no other process until it says so. */
const ALONE_MS = 60_000;

export class Solitude {
  readonly #subjects: Subjects;
  readonly #hint: (sentence: string) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isConnected = false;
  /** Another process has been heard, or the hint has been given. */
  #isOver = false;

  constructor(subjects: Subjects, hint: (sentence: string) => void) {
    this.#subjects = subjects;
    this.#hint = hint;
  }

  /** A frame has come; the server also sends a process what it publishes itself. */
  heard(subject: string): void {
    if (!this.#isOver && subject !== this.#subjects.own) this.end();
  }

  /** The connection works, or does not. */
  look(isConnected: boolean): void {
    if (isConnected === this.#isConnected || this.#isOver) return;
    this.#isConnected = isConnected;
    clearTimeout(this.#timer);
    if (!isConnected) return;
    this.#timer = setTimeout(() => {
      this.#isOver = true;
      this.#hint(
        `no other process has been heard on '${this.#subjects.all}' for a minute: processes share limits if they have the same NATS servers, 'namespace' and 'subject'. A process that is meant to be alone can ignore this`,
      );
    }, ALONE_MS);
    this.#timer.unref();
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}
