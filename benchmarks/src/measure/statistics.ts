/**
 * What is said about a handful of measurements of one thing.
 *
 * Medians and quartiles, never means: on a shared machine a few rounds are disturbed, always
 * upwards, and one such round must not move the result.
 */

/** The middle of some measurements, and how far apart the middle half of them lie. */
export interface Summary {
  readonly median: number;
  /** Half the distance between the quartiles, as a share of the median: 0.03 reads ±3 %. */
  readonly spread: number;
}

/** Sums up at least one measurement. */
export function summarize(samples: readonly number[]): Summary {
  const median = quantile(samples, 0.5);
  return { median, spread: (quantile(samples, 0.75) - quantile(samples, 0.25)) / 2 / median };
}

/** The value below which a `share` of the samples lies, between two samples if need be. */
export function quantile(samples: readonly number[], share: number): number {
  if (samples.length === 0) throw new RangeError("there is no quantile of no samples");
  const ascending = [...samples].sort((left, right) => left - right);
  const period = share * (ascending.length - 1);
  const below = ascending[Math.floor(period)]!;
  const above = ascending[Math.ceil(period)]!;
  return below + (above - below) * (period - Math.floor(period));
}
