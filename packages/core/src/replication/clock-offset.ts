/**
 * How far another replica's clock is behind ours, from the frames it sends, and before the first of
 * them from what others say.
 *
 * A frame's age on arrival is the offset plus the time it travelled. Travelling only ever adds, so
 * the smallest age of the last seconds is nearest to the truth; only of the last, because clocks drift
 * and are set, and of seconds, because all frames of a moment may have been held up by a busy machine.
 * The offset is at most the fastest frame's travelling time too large. A clock that falls back
 * by a lot, because its process stood still, shows when frames have been too old for some seconds; a
 * burst of late frames says nothing.
 */

/** The smallest age of each second, and how many of them. */
const SAMPLE_MS = 1_000;
const SAMPLES = 16;
/** All frames of so long do not take so much longer, unless the clock has changed. */
const STEP_MS = 1_000;
const STEP_AFTER_MS = 2_000;
const STEP_SAMPLES = 3;

export class ClockOffset {
  #samples: number[] = [];
  #now = -1;
  #sampleEndsAtMs = Number.NEGATIVE_INFINITY;
  /** The last ages in a row that are much larger than the offset, and since when they are. */
  #late: number[] = [];
  #lateSinceMs = 0;

  /** @param toldMs the offset by what others say, which counts like a first frame */
  constructor(toldMs?: number) {
    if (toldMs !== undefined) this.#add(Number.NEGATIVE_INFINITY, toldMs);
  }

  /** Takes note of a frame; returns the offset as it is known now. */
  hear(receivedAtMs: number, sentAtMs: number): number {
    const ageMs = receivedAtMs - sentAtMs;
    if (this.#samples.length > 0 && ageMs > this.offsetMs + STEP_MS) {
      this.#hearLate(receivedAtMs, ageMs);
    } else {
      this.#late = [];
      this.#add(receivedAtMs, ageMs);
    }
    return this.offsetMs;
  }

  /** What to add to a time on the other's clock to have it on ours; 0 before the first frame. */
  get offsetMs(): number {
    return this.#samples.length === 0 ? 0 : Math.min(...this.#samples);
  }

  #add(atMs: number, ageMs: number): void {
    if (atMs < this.#sampleEndsAtMs) {
      this.#samples[this.#now] = Math.min(this.#samples[this.#now]!, ageMs);
      return;
    }
    this.#now = (this.#now + 1) % SAMPLES;
    this.#samples[this.#now] = ageMs;
    this.#sampleEndsAtMs = atMs + SAMPLE_MS;
  }

  /** The other has been suspended, say: then what was measured before is over. */
  #hearLate(receivedAtMs: number, ageMs: number): void {
    if (this.#late.length === 0) this.#lateSinceMs = receivedAtMs;
    this.#late = [...this.#late, ageMs].slice(-STEP_SAMPLES);
    const isLong = receivedAtMs - this.#lateSinceMs >= STEP_AFTER_MS;
    if (!isLong || this.#late.length < STEP_SAMPLES) return;
    this.#samples = this.#late;
    this.#now = this.#late.length - 1;
    this.#sampleEndsAtMs = receivedAtMs + SAMPLE_MS;
    this.#late = [];
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
