/**
 * Hints at a mistake in the settings: a process that is connected and receives no other one.
 *
 * Processes with another namespace or subject use other subjects. Processes with other servers have
 * no connection to these at all. Neither ever receives a frame of the other. A process that is
 * meant to be alone gets the hint as well.
 */

import type { Subjects } from "./subjects.ts";

/** How long a process is connected and receives no other process before it reports that. */
const ALONE_MS = 60_000;

export class AloneHint {
  readonly #subjects: Subjects;
  readonly #hint: (sentence: string) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isConnected = false;
  /** Another process was received, or the hint was given. */
  #isOver = false;

  constructor(subjects: Subjects, hint: (sentence: string) => void) {
    this.#subjects = subjects;
    this.#hint = hint;
  }

  /** A frame arrived. The server also delivers what the process publishes itself. */
  received(subject: string): void {
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
        `for a minute, no frame of another process has arrived on '${this.#subjects.all}': processes share limits if they have the same NATS servers, 'namespace' and 'subject'. Ignore this if the process is meant to be alone`,
      );
    }, ALONE_MS);
    this.#timer.unref();
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}
