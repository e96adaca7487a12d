/**
 * Whether the server refuses what is published, and when to find out again.
 *
 * A refusal is told of afterwards and costs the server a line in its log each time, so while frames
 * are refused only one is tried now and then. It has been accepted if nothing was refused until the
 * server answered after it.
 */

import type { Backoff } from "./backoff.ts";

export class Muteness {
  isMute = false;
  readonly #backoff: Backoff;
  #mayTry = false;
  #refusals = 0;
  /** How many refusals there had been when a frame was tried. */
  #triedAfter: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(backoff: Backoff) {
    this.#backoff = backoff;
  }

  /** Lets a frame pass, if that may work. */
  admits(): boolean {
    if (!this.isMute) return true;
    if (!this.#mayTry) return false;
    this.#mayTry = false;
    this.#triedAfter = this.#refusals;
    return true;
  }

  /** Something was refused; true if that is new. */
  refused(): boolean {
    this.#refusals++;
    if (this.isMute) return false;
    this.isMute = true;
    this.#tryLater();
    return true;
  }

  /** The server has answered to all that was published so far. */
  arrived(heard: () => void): void {
    const before = this.#triedAfter;
    if (before === undefined) return;
    this.#triedAfter = undefined;
    // The refusal came before the answer, and is told of a few promises later.
    setImmediate(() => {
      if (!this.isMute) return;
      if (this.#refusals !== before) {
        this.#tryLater();
        return;
      }
      this.forget();
      heard();
    });
  }

  /** Takes it that frames are accepted, until one is refused. */
  forget(): void {
    this.stop();
    this.isMute = false;
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
