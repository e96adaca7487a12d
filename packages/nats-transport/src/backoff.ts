/**
 * Exponential backoff with jitter: each wait is twice as long as the last one, and random in part.
 *
 * So the processes that lost the same server do not all come back at the same moment.
 */

export class Backoff {
  readonly #leastMs: number;
  readonly #mostMs: number;
  readonly #random: () => number;
  #tries = 0;

  /** @param random from 0 to 1 */
  constructor(leastMs: number, mostMs: number, random: () => number = Math.random) {
    this.#leastMs = leastMs;
    this.#mostMs = mostMs;
    this.#random = random;
  }

  nextMs(): number {
    const waitMs = Math.min(this.#leastMs * 2 ** this.#tries, this.#mostMs);
    if (waitMs < this.#mostMs) this.#tries++;
    return Math.ceil(waitMs * (0.5 + this.#random() / 2));
  }

  /** The attempt succeeded. */
  reset(): void {
    this.#tries = 0;
  }
}
