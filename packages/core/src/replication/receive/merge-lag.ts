/**
 * Up to when all that another replica has counted is merged here.
 *
 * Heartbeats and frames of counts are claims: by this time of its clock, the sender had told all in
 * frames up to this number. A claim is met when no frame up to its number is missing. Two claims are
 * kept at a time, the earliest that is not met and the latest, so a replica that is always a little
 * behind still moves on.
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

  /** @param clockMs when it was heard first, by its own clock */
  constructor(clockMs: number) {
    this.mergedClockMs = clockMs;
  }

  /** Takes note that all counts until a time have been told in frames up to a number. */
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
