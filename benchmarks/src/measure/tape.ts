/**
 * A recording of the keys of many requests, as bytes, played back as fresh strings.
 *
 * A server cuts the address out of what it received, so each request brings a string that no code
 * has seen: its hash is not computed yet, and it is not the object that a table holds. Keys kept in
 * an array of strings would be remembered by both, which flatters every limiter that hashes its
 * keys with the engine's own hash. Making the string costs the same for all, and is measured too.
 */

import type { Keys } from "./keys.ts";

const KEY_BYTES_MAX = 15;
const SLOT_BYTES = 16;

export class Tape implements Keys {
  readonly length: number;
  readonly #bytes: Buffer;
  readonly #lengths: Uint8Array;

  constructor(length: number) {
    this.length = length;
    this.#bytes = Buffer.alloc(length * SLOT_BYTES);
    this.#lengths = new Uint8Array(length);
  }

  /** Records that request `position` is for key number `key`. */
  record(position: number, key: number): void {
    this.#lengths[position] = writeAddress(key, this.#bytes, position * SLOT_BYTES);
  }

  /** A new string with the key of request `position`. */
  key(position: number): string {
    const start = position * SLOT_BYTES;
    return this.#bytes.toString("latin1", start, start + this.#lengths[position]!);
  }
}

/**
 * Writes the IPv4 address that stands for key number `key` and returns its length.
 *
 * Different numbers below 2^32 give different addresses, because an odd factor is invertible
 * modulo a power of two; neighbouring numbers give addresses far apart.
 */
export function writeAddress(key: number, bytes: Uint8Array, start: number): number {
  const address = Math.imul(key, 0x9e3779b1);
  let end = writeOctet(address >>> 24, bytes, start);
  for (let shift = 16; shift >= 0; shift -= 8) {
    bytes[end++] = 0x2e;
    end = writeOctet((address >>> shift) & 0xff, bytes, end);
  }
  return end - start;
}

function writeOctet(octet: number, bytes: Uint8Array, start: number): number {
  let end = start;
  if (octet >= 100) bytes[end++] = 0x30 + Math.floor(octet / 100);
  if (octet >= 10) bytes[end++] = 0x30 + (Math.floor(octet / 10) % 10);
  bytes[end++] = 0x30 + (octet % 10);
  return end;
}

/** The address of key number `key` as a string. */
export function address(key: number): string {
  const bytes = Buffer.alloc(KEY_BYTES_MAX);
  return bytes.toString("latin1", 0, writeAddress(key, bytes, 0));
}
