/**
 * A fingerprint that is asked about again and again, and where its record was found last.
 *
 * That record may be gone, and its number another key's: whoever looks there looks at the fingerprint.
 */

export class CachedRecord {
  readonly low: number;
  readonly high: number;
  /** The number of its record, or 0. */
  record = 0;

  constructor(low: number, high: number) {
    this.low = low;
    this.high = high;
  }
}
