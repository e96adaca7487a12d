/**
 * Frames over a stream of bytes: each after its length, as 32 bits, little endian.
 *
 * Bytes arrive in pieces of any size. At most one incomplete frame is held. A length that no frame
 * has ends the stream, as what follows cannot be understood. One such length alone is a sign of
 * life: nothing follows it, and nothing is delivered.
 */

import { FRAME_BYTES_MAX } from "./transport.ts";

const LENGTH_BYTES = 4;
const SIGN_OF_LIFE = FRAME_BYTES_MAX + 1;

/** A frame with its length in front. */
export function framed(frame: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(LENGTH_BYTES + frame.length);
  bytes.writeUInt32LE(frame.length);
  bytes.set(frame, LENGTH_BYTES);
  return bytes;
}

/** Bytes that only show that this side is alive. */
export function signOfLife(): Buffer {
  const bytes = Buffer.allocUnsafe(LENGTH_BYTES);
  bytes.writeUInt32LE(SIGN_OF_LIFE);
  return bytes;
}

export class FrameStream {
  readonly #take: (frame: Uint8Array) => void;
  readonly #length = Buffer.alloc(LENGTH_BYTES);
  #lengthBytes = 0;
  #frame: Uint8Array | undefined;
  #filled = 0;

  /** @param take is given every frame, and owns it */
  constructor(take: (frame: Uint8Array) => void) {
    this.#take = take;
  }

  /** Takes the next bytes; false if they are not frames, and then no more may be pushed. */
  push(bytes: Uint8Array): boolean {
    let position = 0;
    for (;;) {
      if (this.#frame === undefined) {
        while (this.#lengthBytes < LENGTH_BYTES && position < bytes.length) {
          this.#length[this.#lengthBytes++] = bytes[position++]!;
        }
        if (this.#lengthBytes < LENGTH_BYTES) return true;
        const length = this.#length.readUInt32LE();
        if (length === SIGN_OF_LIFE) {
          this.#lengthBytes = 0;
          continue;
        }
        if (length > FRAME_BYTES_MAX) return false;
        this.#frame = new Uint8Array(length);
        this.#filled = 0;
      }
      const frame = this.#frame;
      const part = bytes.subarray(position, position + frame.length - this.#filled);
      frame.set(part, this.#filled);
      this.#filled += part.length;
      position += part.length;
      if (this.#filled < frame.length) return true;
      this.#frame = undefined;
      this.#lengthBytes = 0;
      this.#take(frame);
    }
  }
}
