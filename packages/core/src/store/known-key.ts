/**
 * A key that is asked about again and again: its fingerprint, and where its record was found last.
 *
 * That record may be gone, and its number another key's: whoever looks there looks at the fingerprint.
 */

export class KnownKey {
  readonly key: string;
  readonly low: number;
  readonly high: number;
  /** The number of its record, or 0. */
  record = 0;

  constructor(key: string, low: number, high: number) {
    this.key = key;
    this.low = low;
    this.high = high;
  }
}
