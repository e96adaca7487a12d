/**
 * The smallest age of received frames, for each of the last seconds in which some arrived.
 */

const SAMPLE_MS = 1_000;
const SAMPLES = 16;

export class AgeSamples {
  readonly #ages: number[] = [];
  #now = -1;
  #endsAtMs = Number.NEGATIVE_INFINITY;

  add(atMs: number, ageMs: number): void {
    if (atMs < this.#endsAtMs) {
      this.#ages[this.#now] = Math.min(this.#ages[this.#now]!, ageMs);
      return;
    }
    this.#now = (this.#now + 1) % SAMPLES;
    this.#ages[this.#now] = ageMs;
    this.#endsAtMs = atMs + SAMPLE_MS;
  }

  /** For how many seconds there is a sample, at most sixteen. */
  get count(): number {
    return this.#ages.length;
  }

  get isFull(): boolean {
    return this.count === SAMPLES;
  }

  get least(): number {
    return Math.min(...this.#ages);
  }

  /** How far the samples of the last so many seconds lie apart. */
  spreadMs(seconds: number): number {
    const count = Math.min(seconds, this.count);
    const last = Array.from({ length: count }, (_, back) => {
      return this.#ages[(this.#now - back + SAMPLES) % SAMPLES]!;
    });
    return Math.max(...last) - Math.min(...last);
  }
}
