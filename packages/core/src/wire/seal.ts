/**
 * What is derived from the secret and the namespace: the seeds of a cluster's fingerprints, the tag
 * of its frames, and their seal.
 *
 * Processes that share both derive the same without communication, across restarts. Without a
 * secret everything is derived from the namespace alone. Then the tag separates clusters with
 * different namespaces, but it does not protect from an attacker.
 */

import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { type Halves, SEAL_BYTES } from "./frame.ts";

const TAG_BYTES = 4;
const KEY_BYTES = 32;
const IDENTITY_BYTES = 8;

export class Seal {
  /** 32 bits that every frame of the cluster carries. */
  readonly tag: number;
  readonly #seedKey: Buffer;
  readonly #key: Buffer | undefined;

  constructor(namespace: string, secret: string | Uint8Array | undefined) {
    const given = secret === undefined ? Buffer.alloc(0) : Buffer.from(secret as Uint8Array);
    const derived = Buffer.from(
      hkdfSync(
        "sha256",
        given,
        `tidegate:${namespace}`,
        "frames",
        KEY_BYTES + TAG_BYTES + KEY_BYTES,
      ),
    );
    this.#seedKey = derived.subarray(0, KEY_BYTES);
    this.tag = derived.readUInt32LE(KEY_BYTES);
    this.#key = secret === undefined ? undefined : derived.subarray(KEY_BYTES + TAG_BYTES);
  }

  /** The seed of the fingerprints of one limiter's keys: a key of two limiters has two of them. */
  keySeed(limiter: Halves): Halves {
    const identity = Buffer.alloc(IDENTITY_BYTES);
    identity.writeInt32LE(limiter.low, 0);
    identity.writeInt32LE(limiter.high, 4);
    return this.#derived(identity);
  }

  /** The tag that stands for a limiter's name in frames. */
  nameTag(name: string): Halves {
    return this.#derived(`name:${name}`);
  }

  #derived(from: string | Buffer): Halves {
    const digest = createHmac("sha256", this.#seedKey).update(from).digest();
    return { low: digest.readInt32LE(0), high: digest.readInt32LE(4) };
  }

  /** Whether frames are sealed, and frames without a seal are refused. */
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
