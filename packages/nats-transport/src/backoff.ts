/**
 * How long to wait before trying again: twice as long each time, and never as long as everybody else,
 * so that those who lost the same server do not come back in the same moment.
 */

export class Backoff {
  readonly #leastMs: number;
  readonly #mostMs: number;
  readonly #random: () => number;
  #tries = 0;

  /** @param random from 0 to 1 */
  constructor(leastMs: number, mostMs: number, random: () => number) {
    this.#leastMs = leastMs;
    this.#mostMs = mostMs;
    this.#random = random;
  }

  nextMs(): number {
    const waitMs = Math.min(this.#leastMs * 2 ** this.#tries, this.#mostMs);
    if (waitMs < this.#mostMs) this.#tries++;
    return Math.ceil(waitMs * (0.5 + this.#random() / 2));
  }

  /** It has worked. */
  reset(): void {
    this.#tries = 0;
  }
}
