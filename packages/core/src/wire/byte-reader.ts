/**
 * Reads what a `ByteWriter` wrote, or any other bytes that arrive.
 *
 * It never throws and never reads beyond its end. A number that is absent or malformed reads as 0
 * and sets `isBroken`. So a decoder may read on to its next check, and must check before it uses
 * anything.
 */

const MANTISSA_MAX = 2 ** 53;

export class ByteReader {
  /** Whether a number was absent or malformed. */
  isBroken = false;
  position: number;
  /** Reading ends here; a section is read by setting it to the section's end. */
  end: number;
  /** The halves of the last 64-bit number, as signed 32-bit integers. */
  low = 0;
  high = 0;

  readonly bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.position = 0;
    this.end = bytes.length;
  }

  /** How many bytes are left. */
  get left(): number {
    return this.end - this.position;
  }

  u8(): number {
    if (this.position >= this.end) {
      this.isBroken = true;
      return 0;
    }
    return this.bytes[this.position++]!;
  }

  u16(): number {
    const low = this.u8();
    return low | (this.u8() << 8);
  }

  u32(): number {
    const low = this.u16();
    return (low | (this.u16() << 16)) >>> 0;
  }

  /** A whole number from 0 to 2^53 - 1, written in the shortest way. */
  varint(): number {
    const first = this.u8();
    if (first < 128) return first;
    let value = first & 127;
    let factor = 128;
    for (;;) {
      const byte = this.u8();
      value += (byte & 127) * factor;
      if (byte < 128) {
        // Each number has one encoding: otherwise two frames could say the same and differ.
        if (byte === 0 || value >= MANTISSA_MAX) this.isBroken = true;
        return this.isBroken ? 0 : value;
      }
      factor *= 128;
      if (factor > MANTISSA_MAX) {
        this.isBroken = true;
        return 0;
      }
    }
  }

  signed(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** A 64-bit number of so many bytes, into `low` and `high`. */
  halves(bytes: number): void {
    const { position } = this;
    if (position + 8 <= this.end) {
      // The usual case: eight bytes are there, and the ones that do not belong to it are masked.
      const low = this.#view.getInt32(position, true);
      const high = this.#view.getInt32(position + 4, true);
      this.position = position + bytes;
      this.low = bytes < 4 ? low & ((1 << (8 * bytes)) - 1) : low;
      if (bytes <= 4) this.high = 0;
      else this.high = bytes < 8 ? high & ((1 << (8 * bytes - 32)) - 1) : high;
      return;
    }
    let low = 0;
    let high = 0;
    for (let index = 0; index < bytes; index++) {
      if (index < 4) low |= this.u8() << (8 * index);
      else high |= this.u8() << (8 * index - 32);
    }
    this.low = low;
    this.high = high;
  }
}
