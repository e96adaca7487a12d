/**
 * The 64-bit keyed fingerprint under which a key is known everywhere outside the caller's hands.
 *
 * It is HalfSipHash-2-4 over the key's UTF-8 bytes: a pseudo-random function, so that whoever does
 * not hold the seed can neither find a key from its fingerprint nor aim two keys at one. A string
 * and its UTF-8 bytes are the same key. The result stays in two fields, because returning a pair
 * would cost an object on every request.
 */

const ASCII_MAX = 0x7f;
const SCRATCH_WORDS_MIN = 64;
const SCRATCH_WORDS_MAX = 16_384; // 64 KiB: longer keys borrow a buffer instead of keeping one.

const utf8 = new TextEncoder();

/** The 64-bit key of the function; both halves are read as 32-bit integers. */
export interface FingerprintSeed {
  readonly low: number;
  readonly high: number;
}

export class Fingerprinter {
  /** Low half of the last fingerprint, as a signed 32-bit integer. */
  low = 0;
  /** High half of the last fingerprint, as a signed 32-bit integer. */
  high = 0;

  readonly #seedLow: number;
  readonly #seedHigh: number;
  #scratch = new Int32Array(SCRATCH_WORDS_MIN);

  constructor(seed: FingerprintSeed) {
    this.#seedLow = seed.low | 0;
    this.#seedHigh = seed.high | 0;
  }

  /** Computes the fingerprint of `key` into `low` and `high`. */
  take(key: string | Uint8Array): void {
    if (typeof key !== "string") {
      this.#takeBytes(key);
      return;
    }
    const length = key.length;
    const words = this.#scratchFor(length);
    let word = 0;
    let position = 0;
    for (; position < length; position++) {
      const code = key.charCodeAt(position);
      if (code > ASCII_MAX) {
        this.#takeBytes(utf8.encode(key));
        return;
      }
      word |= code << ((position & 3) << 3);
      if ((position & 3) === 3) {
        words[position >> 2] = word;
        word = 0;
      }
    }
    this.#hash(words, length, word);
  }

  #takeBytes(bytes: Uint8Array): void {
    const length = bytes.length;
    const words = this.#scratchFor(length);
    let word = 0;
    for (let position = 0; position < length; position++) {
      word |= bytes[position]! << ((position & 3) << 3);
      if ((position & 3) === 3) {
        words[position >> 2] = word;
        word = 0;
      }
    }
    this.#hash(words, length, word);
  }

  #scratchFor(byteLength: number): Int32Array {
    const needed = byteLength >> 2;
    if (needed <= this.#scratch.length) return this.#scratch;
    const grown = new Int32Array(needed * 2);
    if (grown.length <= SCRATCH_WORDS_MAX) this.#scratch = grown;
    return grown;
  }

  /** Whole words come from `words`; `tail` holds the zero to three bytes after them. */
  #hash(words: Int32Array, byteLength: number, tail: number): void {
    let v0 = this.#seedLow;
    let v1 = this.#seedHigh ^ 0xee;
    let v2 = 0x6c796765 ^ this.#seedLow;
    let v3 = 0x74656462 ^ this.#seedHigh;
    const wholeWords = byteLength >> 2;

    // Steps 0 … wholeWords absorb a word in two rounds each; the two steps after them finish each
    // half of the result in four. One loop, so that the round is written once and stays in registers.
    for (let step = 0; step <= wholeWords + 2; step++) {
      let rounds = 2;
      let message = 0;
      if (step < wholeWords) message = words[step]!;
      else if (step === wholeWords) message = (byteLength << 24) | tail;
      else rounds = 4;

      if (step <= wholeWords) v3 ^= message;
      else if (step === wholeWords + 1) v2 ^= 0xee;
      else v1 ^= 0xdd;

      for (let round = 0; round < rounds; round++) {
        v0 = (v0 + v1) | 0;
        v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
        v0 = (v0 << 16) | (v0 >>> 16);
        v2 = (v2 + v3) | 0;
        v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
        v0 = (v0 + v3) | 0;
        v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
        v2 = (v2 + v1) | 0;
        v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
        v2 = (v2 << 16) | (v2 >>> 16);
      }

      if (step <= wholeWords) v0 ^= message;
      else if (step === wholeWords + 1) this.low = v1 ^ v3;
      else this.high = v1 ^ v3;
    }
  }
}
