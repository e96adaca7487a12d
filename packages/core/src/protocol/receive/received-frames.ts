/**
 * Which frames of counts of one replica were received: the last one without a gap, and a few above
 * it. This is that replica's entry in the version vector.
 *
 *     numbers    1 2 3 4 5 6 7 8 9
 *     received   × × × · × ×
 *                last ┘  └ ┴ above
 *
 * Counts are cumulative, so a gap loses nothing for long, but the receiver must ask to know what it
 * missed. A frame too far above the gap is not remembered: the gap must be asked for anyway, and
 * the reply covers the frame.
 *
 * Other replicas may report the counts of a dead replica, but not its held permits: they forget
 * permits that they saw released. So frames known from reports are dropped when the replica
 * publishes again.
 */

const ABOVE_BITS = 32;

/** The received frames of one replica, as published to other replicas. */
export interface FramesKnown {
  /** The number of the last frame up to which none is missing. */
  readonly upTo: number;
  /** Those above, by their bits: bit 0 is frame `upTo + 2`. */
  readonly above: number;
}

export class ReceivedFrames {
  /** The number of the last frame up to which none is missing. */
  last = 0;
  /** Bit 0 is frame `last + 2`: `last + 1` is the one that is missing. */
  #above = 0;
  /** What was received from the replica itself, before another one first reported on it. */
  #fromItself: FramesKnown | undefined;

  /** Depends only on which frames were received, not on their order. */
  get known(): FramesKnown {
    return { upTo: this.last, above: this.#above >>> 0 };
  }

  /** Whether everything that a frame of this number says is merged, as far as is known. */
  knows(number: number): boolean {
    const bit = number - this.last - 2;
    if (bit < 0) return bit < -1;
    return bit < ABOVE_BITS && ((this.#above >>> bit) & 1) === 1;
  }

  add(number: number): void {
    const distance = number - this.last;
    if (distance === 1) {
      this.last = number;
      this.#close();
    } else if (distance > 1 && distance - 2 < ABOVE_BITS) {
      this.#above |= 1 << (distance - 2);
    }
  }

  /** Adds a reply that contains all that changed after frame `since` up to `upTo`. */
  cover(since: number, upTo: number): void {
    if (since > this.last || upTo <= this.last) return;
    const distance = upTo - this.last;
    this.last = upTo;
    // What was bit `distance - 1` now says whether the next frame was received.
    const isNextReceived =
      distance - 1 < ABOVE_BITS && ((this.#above >>> (distance - 1)) & 1) === 1;
    this.#above = distance >= ABOVE_BITS ? 0 : this.#above >>> distance;
    if (!isNextReceived) return;
    this.last++;
    this.#close();
  }

  /** Adds all frames that another replica received. */
  join({ upTo, above }: FramesKnown): void {
    this.#fromItself ??= this.known;
    this.cover(0, upTo);
    for (let bits = above >>> 0, number = upTo + 2; bits > 0; bits >>>= 1, number++) {
      if ((bits & 1) === 1) this.add(number);
    }
  }

  /** Drops the frames that came from reports, and all that arrived after the first report. */
  forgetReports(): void {
    if (this.#fromItself === undefined) return;
    this.last = this.#fromItself.upTo;
    this.#above = this.#fromItself.above | 0;
    this.#fromItself = undefined;
  }

  /** Forgets all received frames, so that all counts are requested again. */
  forget(): void {
    this.last = 0;
    this.#above = 0;
    this.#fromItself = undefined;
  }

  /** Moves `last` over frames above a gap that is closed now. */
  #close(): void {
    while ((this.#above & 1) === 1) {
      this.last++;
      this.#above >>>= 1;
    }
    this.#above >>>= 1;
  }
}
