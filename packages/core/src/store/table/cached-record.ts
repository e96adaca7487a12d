/**
 * A frequently requested fingerprint, and the record number where it was last found.
 *
 * That record may be freed, and its number reused for another key: always compare the fingerprint.
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
