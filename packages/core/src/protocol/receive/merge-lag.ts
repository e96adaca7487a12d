/**
 * The lag behind one replica: up to which time all that it has counted is merged here.
 *
 * Heartbeats and frames of counts are claims: by this time of its clock, the sender had published
 * everything in frames up to this number. A claim is met when no frame up to its number is missing.
 * Two claims are kept: the earliest that is not met, and the latest. So the merged time still
 * advances when the receiver is always a little behind.
 */

interface Claim {
  readonly number: number;
  readonly clockMs: number;
}

export class MergeLag {
  /** Up to when, by the other replica's clock, all that it counted is merged. */
  mergedClockMs: number;
  #next: Claim | undefined;
  #latest: Claim | undefined;

  /** @param clockMs the clock of the replica in its first received frame */
  constructor(clockMs: number) {
    this.mergedClockMs = clockMs;
  }

  /** All counts until a time are in frames up to a number. */
  claim(number: number, clockMs: number): void {
    if (clockMs <= (this.#latest?.clockMs ?? this.mergedClockMs)) return;
    this.#latest = { number, clockMs };
    this.#next ??= this.#latest;
  }

  /** No frame is missing up to a number. */
  merged(upTo: number): void {
    if (this.#next === undefined || upTo < this.#next.number) return;
    const isAll = upTo >= this.#latest!.number;
    this.mergedClockMs = isAll ? this.#latest!.clockMs : this.#next.clockMs;
    this.#next = isAll ? undefined : this.#latest;
    if (isAll) this.#latest = undefined;
  }
}
