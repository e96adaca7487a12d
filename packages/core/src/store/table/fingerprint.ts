/**
 * The 64-bit keyed fingerprint that identifies a key in the store and on the wire.
 *
 * It is HalfSipHash-2-4 over the key's UTF-8 bytes: a pseudo-random function. Without the seed, an
 * attacker can neither find a key from its fingerprint nor make two keys collide. A string and its
 * UTF-8 bytes are the same key. The result stays in two fields, because returning a pair would
 * allocate an object on every request.
 *
 * Recent keys are cached, so that a hot key is not hashed at every check, which the line "One hot key"
 * of `npm run bench -- core` depends on. The cache has a fixed number of slots. A key's length and four of
 * its characters pick its slot, so a lookup costs about as much as comparing two strings. Only some
 * of the missed keys are inserted. While lookups keep missing, inserts become rarer still, and only
 * the inserted keys are looked up. Hot keys get in anyway, and traffic of unique keys pays almost
 * nothing. The cache copies its keys, because a key cut out of a large text would keep that text in
 * memory.
 */

import { TidegateError } from "../../base/errors.ts";

const ASCII_MAX = 0x7f;
const BYTE_MAX = 0xff;
const HIGH_BITS = 0x1f_ffff;
const TWO_32 = 2 ** 32;

const SLOTS = 1_024;
const KEY_LENGTH_MAX = 64;
const MISSES_PER_KEY = 32;
/** After this many misses in a row, most keys are no longer looked up. */
const PATIENCE = 32;
/** Misses per insert while nothing is found: copying a key takes as long as hashing a dozen. */
const MISSES_PER_KEY_IN_VAIN = 256;

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

  readonly #keys: (string | null)[] = new Array<string | null>(SLOTS).fill(null);
  readonly #halves = new Int32Array(2 * SLOTS);
  /** Misses since the last insert. */
  #misses = 0;
  /** Misses since the last hit. */
  #inVain = 0;
  readonly #seedLow: number;
  readonly #seedHigh: number;

  constructor(seed: FingerprintSeed) {
    this.#seedLow = seed.low | 0;
    this.#seedHigh = seed.high | 0;
  }

  /** Computes the fingerprint of `key` into `low` and `high`. */
  take(key: string | Uint8Array): void {
    if (typeof key !== "string" || !this.recall(key)) this.#compute(key);
  }

  /** Empties the cache. */
  forget(): void {
    this.#keys.fill(null);
  }

  /** Looks up a key; if it is cached, its fingerprint is in `low` and `high`. */
  protected recall(key: string): boolean {
    if (this.#inVain >= PATIENCE && this.#misses < MISSES_PER_KEY_IN_VAIN - 1) return false;
    const slot = slotOf(key);
    if (this.#keys[slot] !== key) {
      this.#inVain++;
      return false;
    }
    this.#inVain = 0;
    const halves = this.#halves;
    this.low = halves[slot]!;
    this.high = halves[slot + SLOTS]!;
    return true;
  }

  /** Notes a miss of an ASCII key, whose fingerprint is in `low` and `high`. */
  protected missed(key: string): void {
    const isHopeful = this.#inVain < PATIENCE;
    if (++this.#misses >= (isHopeful ? MISSES_PER_KEY : MISSES_PER_KEY_IN_VAIN))
      this.#remember(key);
  }

  #remember(key: string): void {
    if (key.length > KEY_LENGTH_MAX) return;
    this.#misses = 0;
    const slot = slotOf(key);
    this.#keys[slot] = Buffer.from(key, "latin1").toString("latin1");
    this.#halves[slot] = this.low;
    this.#halves[slot + SLOTS] = this.high;
  }

  #compute(key: string | Uint8Array): void {
    if (typeof key === "string") {
      if (this.#hash(key, ASCII_MAX)) {
        this.missed(key);
        return;
      }
      this.#hash(Buffer.from(key, "utf8").toString("latin1"), BYTE_MAX);
      return;
    }
    this.#hash(textOf(key), BYTE_MAX);
  }

  /** Hashes a string of bytes; returns false if a character is above `codeMax`. */
  #hash(bytes: string, codeMax: number): boolean {
    const length = bytes.length;
    const whole = length & ~3;
    let v0 = this.#seedLow;
    let v1 = this.#seedHigh ^ 0xee;
    let v2 = 0x6c796765 ^ this.#seedLow;
    let v3 = 0x74656462 ^ this.#seedHigh;
    let codes = 0;

    // The round stands five times in this file: one loop with cases, or a call for each, costs more
    // than the rounds.
    let position = 0;
    // biome-ignore format: a round is four lines.
    for (; position < whole; position += 4) {
      const c0 = bytes.charCodeAt(position);
      const c1 = bytes.charCodeAt(position + 1);
      const c2 = bytes.charCodeAt(position + 2);
      const c3 = bytes.charCodeAt(position + 3);
      codes |= c0 | c1 | c2 | c3;
      const word = c0 | (c1 << 8) | (c2 << 16) | (c3 << 24);
      v3 ^= word;
      v0 = (v0 + v1) | 0; v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0; v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0; v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0; v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0; v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2; v2 = (v2 << 16) | (v2 >>> 16);

      v0 = (v0 + v1) | 0; v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0; v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0; v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0; v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0; v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2; v2 = (v2 << 16) | (v2 >>> 16);
      v0 ^= word;
    }
    let last = length << 24;
    if (length >= 4) {
      // The last four bytes without those that are in the words: a loop over one to three bytes is
      // hard to predict, and shifting is not.
      const c0 = bytes.charCodeAt(length - 4);
      const c1 = bytes.charCodeAt(length - 3);
      const c2 = bytes.charCodeAt(length - 2);
      const c3 = bytes.charCodeAt(length - 1);
      codes |= c1 | c2 | c3;
      const end = c0 | (c1 << 8) | (c2 << 16) | (c3 << 24);
      last |= (end >>> 8) >>> ((3 - (length & 3)) << 3);
    } else {
      for (; position < length; position++) {
        const code = bytes.charCodeAt(position);
        codes |= code;
        last |= code << (position << 3);
      }
    }
    if (codes > codeMax) return false;

    v3 ^= last;
    // biome-ignore format: a round is four lines.
    for (let round = 0; round < 2; round++) {
      v0 = (v0 + v1) | 0; v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0; v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0; v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0; v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0; v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2; v2 = (v2 << 16) | (v2 >>> 16);
    }
    v0 ^= last;
    this.#finish(v0, v1, v2 ^ 0xee, v3);
    return true;
  }

  /** The last eight rounds, and both halves read off them. One call is cheap; one a round is not. */
  #finish(state0: number, state1: number, state2: number, state3: number): void {
    let v0 = state0;
    let v1 = state1;
    let v2 = state2;
    let v3 = state3;
    // biome-ignore format: a round is four lines.
    for (let round = 0; round < 4; round++) {
      v0 = (v0 + v1) | 0; v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0; v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0; v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0; v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0; v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2; v2 = (v2 << 16) | (v2 >>> 16);
    }
    this.low = v1 ^ v3;
    v1 ^= 0xdd;
    // biome-ignore format: a round is four lines.
    for (let round = 0; round < 4; round++) {
      v0 = (v0 + v1) | 0; v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0; v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0; v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0; v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0; v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2; v2 = (v2 << 16) | (v2 >>> 16);
    }
    this.high = v1 ^ v3;
  }
}

/** Bytes as a string of them, where the engine can make one. */
function textOf(key: Uint8Array): string {
  try {
    return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString("latin1");
  } catch (error) {
    throw new TidegateError(
      "TIDEGATE_KEY_INVALID",
      `a key's bytes must not be detached, and must fit a string: ${String(error)}`,
    );
  }
}

/** 53 of the 64 bits of a fingerprint: a number that tells the keys of one table apart. */
export function fingerprint53(low: number, high: number): number {
  return (high & HIGH_BITS) * TWO_32 + (low >>> 0);
}

/** Uses characters that differ between addresses, and between names with a common beginning. */
function slotOf(key: string): number {
  const length = key.length;
  if (length < 2) return length;
  const middle = length >>> 1;
  const inside = key.charCodeAt(middle) + 11 * key.charCodeAt(middle - 1);
  const end = key.charCodeAt(length - 1) + 11 * key.charCodeAt(length - 2);
  return (length + 7 * end + 59 * inside) & (SLOTS - 1);
}
