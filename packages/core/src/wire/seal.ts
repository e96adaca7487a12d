/**
 * The seed of a cluster's fingerprints, the tag that its frames carry, and their seal.
 *
 * All three are derived from the secret and the namespace, so that processes that share both agree
 * without asking, across restarts. Without a secret everything is derived from the namespace alone:
 * then the tag keeps clusters apart that do not mean to meet, and keeps nobody out.
 */

import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { SEAL_BYTES } from "./frame.ts";

const SEED_BYTES = 8;
const TAG_BYTES = 4;
const KEY_BYTES = 32;

export class Seal {
  /** The seed of fingerprints. */
  readonly seed: { readonly low: number; readonly high: number };
  /** 32 bits that every frame of the cluster carries. */
  readonly tag: number;
  readonly #key: Buffer | undefined;

  constructor(namespace: string, secret: string | Uint8Array | undefined) {
    const given = secret === undefined ? Buffer.alloc(0) : Buffer.from(secret as Uint8Array);
    const derived = Buffer.from(
      hkdfSync(
        "sha256",
        given,
        `tidegate:${namespace}`,
        "frames",
        SEED_BYTES + TAG_BYTES + KEY_BYTES,
      ),
    );
    this.seed = { low: derived.readInt32LE(0), high: derived.readInt32LE(4) };
    this.tag = derived.readUInt32LE(SEED_BYTES);
    this.#key = secret === undefined ? undefined : derived.subarray(SEED_BYTES + TAG_BYTES);
  }

  /** Whether frames are sealed, and others not believed. */
  get isSealing(): boolean {
    return this.#key !== undefined;
  }

  /** The seal of everything that stands before it in a frame. Needs a secret. */
  of(bytes: Uint8Array): Uint8Array {
    return createHmac("sha256", this.#key as Buffer)
      .update(bytes)
      .digest()
      .subarray(0, SEAL_BYTES);
  }

  /** Whether a frame ends with the seal of what stands before it. Needs a secret. */
  isOn(frame: Uint8Array): boolean {
    const end = frame.length - SEAL_BYTES;
    return end >= 0 && timingSafeEqual(this.of(frame.subarray(0, end)), frame.subarray(end));
  }
}
