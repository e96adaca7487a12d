/**
 * Which frames of counts of one replica have been heard: the last without a gap before it, and a few
 * above.
 *
 *     numbers   1 2 3 4 5 6 7 8 9
 *     heard     × × × · × ×
 *               last ┘  └ ┴ above
 *
 * Counts are cumulative, so nothing is lost by a gap for long; but who has one does not know what it
 * would have said until it asks. A frame too far above is not remembered: the gap below it has to be
 * asked for anyway, and the answer covers it.
 *
 * Others can say what a replica has counted that is gone, but not what it holds: places that they have
 * seen released are forgotten sooner or later. So what was heard of others ends when it is back.
 */

const ABOVE_BITS = 32;

/** Frames of one replica, as one who has heard them tells others. */
export interface FramesKnown {
  /** The number of the last frame up to which none is missing. */
  readonly upTo: number;
  /** Those above, by their bits: bit 0 is frame `upTo + 2`. */
  readonly above: number;
}

export class ReceivedFrames {
  /** The number of the last frame up to which none is missing. */
  last: number;
  /** Bit 0 is frame `last + 2`: `last + 1` is the one that is missing. */
  #above = 0;
  /** What had been heard of the replica itself when others first spoke for it, since it was gone. */
  #ofItself: FramesKnown | undefined;

  /** @param last where to begin, when what came before has been heard by other means, or never will be */
  constructor(last: number) {
    this.last = last;
  }

  /** The same for all who have heard the same frames, whatever they heard first. */
  get known(): FramesKnown {
    return { upTo: this.last, above: this.#above >>> 0 };
  }

  /** Whether all that a frame says has been heard, as far as is known. */
  knows(number: number): boolean {
    const bit = number - this.last - 2;
    if (bit < 0) return bit < -1;
    return bit < ABOVE_BITS && ((this.#above >>> bit) & 1) === 1;
  }

  /** Takes note of a frame; returns whether it was new, as far as is known. */
  hear(number: number): boolean {
    const distance = number - this.last;
    if (distance <= 0) return false;
    if (distance === 1) {
      this.last = number;
      this.#close();
      return true;
    }
    if (distance - 2 >= ABOVE_BITS) return true;
    const bit = 1 << (distance - 2);
    const isNew = (this.#above & bit) === 0;
    this.#above |= bit;
    return isNew;
  }

  /** Takes note of an answer that says all that changed after frame `since` and until `upTo`. */
  cover(since: number, upTo: number): void {
    if (since > this.last || upTo <= this.last) return;
    const distance = upTo - this.last;
    this.last = upTo;
    // What was bit `distance - 1` says whether the next frame has been heard.
    const isNextHeard = distance - 1 < ABOVE_BITS && ((this.#above >>> (distance - 1)) & 1) === 1;
    this.#above = distance >= ABOVE_BITS ? 0 : this.#above >>> distance;
    if (!isNextHeard) return;
    this.last++;
    this.#close();
  }

  /** Takes note of all that somebody else has heard. */
  join({ upTo, above }: FramesKnown): void {
    this.#ofItself ??= this.known;
    this.cover(0, upTo);
    for (let bits = above >>> 0, number = upTo + 2; bits > 0; bits >>>= 1, number++) {
      if ((bits & 1) === 1) this.hear(number);
    }
  }

  /** Forgets what others have heard, and whatever came after they first said so. */
  forgetOthers(): void {
    if (this.#ofItself === undefined) return;
    this.last = this.#ofItself.upTo;
    this.#above = this.#ofItself.above | 0;
    this.#ofItself = undefined;
  }

  /** Forgets that anything was heard, so that all of it will be asked for. */
  forget(): void {
    this.last = 0;
    this.#above = 0;
    this.#ofItself = undefined;
  }

  /** Whether something is missing of what a replica says it has sent. */
  isBehind(sent: number): boolean {
    return sent > this.last;
  }

  /** Moves on over frames that had been heard above a gap that is closed now. */
  #close(): void {
    while ((this.#above & 1) === 1) {
      this.last++;
      this.#above >>>= 1;
    }
    this.#above >>>= 1;
  }
}
