/**
 * What stands for clusters, limiters and keys in frames, computed as the page on the wire format
 * describes it and without the code under test: what a program in another language would do.
 *
 * 64-bit values are the 16 hexadecimal digits of their bytes, in the order in which frames carry
 * them.
 */

import { createHash, createHmac, hkdfSync } from "node:crypto";

import type { Policy } from "../../src/index.ts";

type Options = Record<string, unknown>;

export interface ClusterKeys {
  readonly seedKey: Buffer;
  readonly tag: string;
  readonly sealKey: Buffer;
}

export function clusterKeys(namespace: string, secret: string | null): ClusterKeys {
  const derived = hkdfSync("sha256", secret ?? "", `tidegate:${namespace}`, "frames", 68);
  const bytes = Buffer.from(derived);
  return {
    seedKey: bytes.subarray(0, 32),
    tag: bytes.toString("hex", 32, 36),
    sealKey: bytes.subarray(36),
  };
}

export function identityOf(name: string, meanings: readonly string[]): string {
  const quoted = [name, ...meanings].map((text) => `"${text.replace(/["\\]/g, "\\$&")}"`);
  return createHash("sha256").update(`[${quoted}]`).digest("hex").slice(0, 16);
}

export function nameOf({ seedKey }: ClusterKeys, name: string): string {
  return createHmac("sha256", seedKey).update(`name:${name}`).digest("hex").slice(0, 16);
}

export function seedOf({ seedKey }: ClusterKeys, identity: string): string {
  return createHmac("sha256", seedKey)
    .update(Buffer.from(identity, "hex"))
    .digest("hex")
    .slice(0, 16);
}

/** What a policy counts by, from what its user gave. */
export function meaningOf(policy: Policy["kind"], options: Options): string {
  return MEANINGS[policy](options);
}

const MEANINGS: Readonly<Record<Policy["kind"], (options: Options) => string>> = {
  fixedWindow: (options) => {
    const refusals = options["ban"] !== undefined || Boolean(options["backoff"]);
    const { windowMs, align, calendar, timeZone = "UTC", weekStartsOn = "monday" } = options;
    if (calendar === undefined)
      return `${align === true ? "aligned" : "window"} ${windowMs} ${refusals}`;
    const first = calendar === "week" ? ` ${weekStartsOn}` : "";
    return `aligned ${calendar}${first} ${String(timeZone).toLowerCase()} ${refusals}`;
  },
  slidingWindow: ({ windowMs, slots: given }) => {
    let slots = 12;
    while (Number(windowMs) % slots !== 0) slots--;
    return `sliding ${windowMs} ${given ?? slots}`;
  },
  slidingLog: ({ windowMs }) => `log ${windowMs}`,
  tokenBucket: bucketMeaning,
  leakyBucket: bucketMeaning,
  concurrency: () => "gauge",
};

function bucketMeaning(options: Options): string {
  const rate = Number(options["refillPerSecond"] ?? options["leakPerSecond"]);
  const part = ((Number(options["capacity"]) / rate) * 1_000) / 16;
  const widths = [1_024, 512, 256, 128].filter((width) => width <= part);
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, rate);
  return `bucket ${widths[0] ?? 64} ${Buffer.from(bits.buffer).toString("hex")}`;
}

/** HalfSipHash-2-4 with 64 bits. */
export function fingerprintOf(seed: string, key: Uint8Array): string {
  const seedBytes = Buffer.from(seed, "hex");
  const [k0, k1] = [seedBytes.readUInt32LE(0), seedBytes.readUInt32LE(4)];
  const v = Uint32Array.from([k0, k1 ^ 0xee, k0 ^ 0x6c796765, k1 ^ 0x74656462]);
  const turn = (at: number, by: number): void => {
    v[at] = (v[at]! << by) | (v[at]! >>> (32 - by));
  };
  const mix = (at: number, from: number, by: number): void => {
    v[at]! += v[from]!;
    turn(from, by);
    v[from]! ^= v[at]!;
  };
  const rounds = (count: number): void => {
    for (let round = 0; round < count; round++) {
      mix(0, 1, 5);
      turn(0, 16);
      mix(2, 3, 8);
      mix(0, 3, 7);
      mix(2, 1, 13);
      turn(2, 16);
    }
  };
  const words = Buffer.alloc((key.length & ~3) + 4);
  words.set(key);
  words[words.length - 1] = key.length & 0xff;
  for (let at = 0; at < words.length; at += 4) {
    v[3]! ^= words.readUInt32LE(at);
    rounds(2);
    v[0]! ^= words.readUInt32LE(at);
  }
  const fingerprint = Buffer.alloc(8);
  v[2]! ^= 0xee;
  rounds(4);
  fingerprint.writeUInt32LE((v[1]! ^ v[3]!) >>> 0, 0);
  v[1]! ^= 0xdd;
  rounds(4);
  fingerprint.writeUInt32LE((v[1]! ^ v[3]!) >>> 0, 4);
  return fingerprint.toString("hex");
}
