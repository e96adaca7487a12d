/**
 * The requests of one round after the other, drawn from a seed: a process that draws from the same seed, in
 * whatever process, gets the same keys in the same round.
 *
 * Each round has some requests to get going and then those that are timed. A full collection leaves
 * the caches empty and takes pages away, and the lead-in gives back what a running server has anyway.
 */

import type { Distribution } from "../measure/distribution.ts";
import { Tape } from "../measure/tape.ts";

const LEAD_IN_SHARE = 0.25;

export class RoundTapes {
  readonly leadIn: Tape;
  readonly timed: Tape;
  /** How many different keys were timed so far. */
  distinctKeys = 0;
  readonly #distribution: Distribution;
  readonly #random: () => number;
  readonly #touched: Uint8Array;

  constructor(distribution: Distribution, keys: number, requests: number, random: () => number) {
    this.leadIn = new Tape(Math.ceil(requests * LEAD_IN_SHARE));
    this.timed = new Tape(requests);
    this.#distribution = distribution;
    this.#random = random;
    this.#touched = new Uint8Array(keys);
  }

  /** Records the requests of the next round over those of the last. */
  draw(): void {
    for (let position = 0; position < this.leadIn.length; position++) {
      this.leadIn.record(position, this.#distribution.draw(this.#random));
    }
    for (let position = 0; position < this.timed.length; position++) {
      const key = this.#distribution.draw(this.#random);
      this.timed.record(position, key);
      if (this.#touched[key] === 0) {
        this.#touched[key] = 1;
        this.distinctKeys++;
      }
    }
  }
}
