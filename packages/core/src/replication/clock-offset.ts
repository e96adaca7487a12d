/**
 * How far another replica's clock is behind ours, from nothing but the frames it sends.
 *
 * A frame's age on arrival is the offset plus the time it travelled. Travelling only ever adds, so
 * the smallest of the last ages is nearest to the truth; only the last, because clocks drift and are
 * set. The offset is at most the fastest frame's travelling time too large.
 */

const SAMPLES = 16;

export class ClockOffset {
  readonly #samples: number[] = [];
  #next = 0;

  /** Takes note of a frame; returns the offset as it is known now. */
  hear(receivedAtMs: number, sentAtMs: number): number {
    this.#samples[this.#next] = receivedAtMs - sentAtMs;
    this.#next = (this.#next + 1) % SAMPLES;
    return this.offsetMs;
  }

  /** What to add to a time on the other's clock to have it on ours; 0 before the first frame. */
  get offsetMs(): number {
    return this.#samples.length === 0 ? 0 : Math.min(...this.#samples);
  }
}

/**
 * What to add to our clock to have the cluster's: the lower median over all clocks, ours included,
 * so that fewer than half of them cannot move it, whatever they show.
 *
 * @param offsetsMs for every other replica, what to add to its clock to have ours
 */
export function clusterOffsetMs(offsetsMs: readonly number[]): number {
  const ahead = [0, ...offsetsMs.map((offsetMs) => -offsetMs)].sort((left, right) => left - right);
  return ahead[Math.floor((ahead.length - 1) / 2)]!;
}
