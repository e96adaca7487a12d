/**
 * Whether the server refuses what is published, and when to try again.
 *
 * The server reports a refusal later, and writes a line to its log each time. So while frames are
 * refused, only one is tried now and then. It was accepted if no refusal arrived before the
 * server's answer to the flush after it.
 */

import type { Backoff } from "./backoff.ts";

export class PublishRefusal {
  isRefused = false;
  readonly #backoff: Backoff;
  #mayTry = false;
  #refusals = 0;
  /** How many refusals there had been when a frame was tried. */
  #triedAfter: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(backoff: Backoff) {
    this.#backoff = backoff;
  }

  /** Whether a frame may be sent now. */
  admits(): boolean {
    if (!this.isRefused) return true;
    if (!this.#mayTry) return false;
    this.#mayTry = false;
    this.#triedAfter = this.#refusals;
    return true;
  }

  /** The server refused a frame; returns true if that is new. */
  refused(): boolean {
    this.#refusals++;
    if (this.isRefused) return false;
    this.isRefused = true;
    this.#tryLater();
    return true;
  }

  /** The server has answered a flush after all frames so far. */
  arrived(accepted: () => void): void {
    const before = this.#triedAfter;
    if (before === undefined) return;
    this.#triedAfter = undefined;
    // The refusal arrived before the answer, but the client reports it a few promises later.
    setImmediate(() => {
      if (!this.isRefused) return;
      if (this.#refusals !== before) {
        this.#tryLater();
        return;
      }
      this.forget();
      accepted();
    });
  }

  /** Assumes that frames are accepted, until one is refused. */
  forget(): void {
    this.stop();
    this.isRefused = false;
    this.#mayTry = false;
    this.#triedAfter = undefined;
    this.#backoff.reset();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #tryLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#mayTry = true;
    }, this.#backoff.nextMs());
    this.#timer.unref();
  }
}
