/**
 * Reads what a `ByteWriter` wrote, or anything else that somebody sends.
 *
 * It never throws and never reads beyond its end: what is not there, or is no number of the kind
 * that was asked for, reads as 0 and leaves `isBroken` set. So a decoder may go on to the next place
 * where it checks, and must check before it believes anything.
 */

const MANTISSA_MAX = 2 ** 53;

export class ByteReader {
  /** Whether something was read that is not there, or that is no number. */
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
        // One number, one way to write it: else two frames could say the same and differ.
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
      // Nearly always: eight bytes are there, and those that are not of it are cut off.
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
