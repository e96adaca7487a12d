/**
 * Writes numbers into a buffer of fixed size, which is allocated once and used for every frame.
 *
 * Nothing here grows or throws: the caller asks first whether there is room. Numbers are little
 * endian. A varint has seven bits in each byte, the lowest first, and a high bit on all but the
 * last.
 */

const TWO_32 = 2 ** 32;

/** The most bytes that a varint takes: 53 bits. */
export const VARINT_BYTES_MAX = 8;

export class ByteWriter {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  position = 0;

  constructor(capacity: number) {
    this.bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.bytes.buffer);
  }

  /** Whether so many bytes more fit. */
  hasRoom(bytes: number): boolean {
    return this.position + bytes <= this.bytes.length;
  }

  /** The bytes written so far, not copied. */
  written(): Uint8Array {
    return this.bytes.subarray(0, this.position);
  }

  u8(value: number): void {
    this.bytes[this.position++] = value;
  }

  u16(value: number): void {
    this.u8(value);
    this.u8(value >>> 8);
  }

  u32(value: number): void {
    this.u16(value);
    this.u16(value >>> 16);
  }

  /** Replaces 16 bits that were written before. */
  patchU16(position: number, value: number): void {
    this.bytes[position] = value;
    this.bytes[position + 1] = value >>> 8;
  }

  /** A whole number from 0 to 2^53 - 1. */
  varint(value: number): void {
    let rest = value;
    while (rest >= TWO_32) {
      this.u8((rest % 128) | 128);
      rest = Math.floor(rest / 128);
    }
    let low = rest >>> 0;
    while (low > 127) {
      this.u8((low & 127) | 128);
      low >>>= 7;
    }
    this.u8(low);
  }

  /** A whole number of either sign, below 2^52: small ones of both signs are short. */
  signed(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** The lowest bytes of a 64-bit number given as two halves. */
  halves(low: number, high: number, bytes: number): void {
    const { position } = this;
    this.position = position + bytes;
    if (position + 8 <= this.bytes.length) {
      // Surplus bytes are overwritten by what comes next.
      this.#view.setInt32(position, low, true);
      this.#view.setInt32(position + 4, high, true);
      return;
    }
    for (let index = 0; index < bytes; index++) {
      this.bytes[position + index] = index < 4 ? low >>> (8 * index) : high >>> (8 * index - 32);
    }
  }
}
