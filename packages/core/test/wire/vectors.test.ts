import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { leakyBucket, tokenBucket } from "../../src/policies/bucket.ts";
import { concurrency } from "../../src/policies/concurrency.ts";
import { fixedWindow } from "../../src/policies/fixed-window.ts";
import type { Policy } from "../../src/policies/policy.ts";
import { slidingLog } from "../../src/policies/sliding-log.ts";
import { slidingWindow } from "../../src/policies/sliding-window.ts";
import { limiterIdentity } from "../../src/protocol/limiters/replicated-limiter.ts";
import { makeRule } from "../../src/store/shapes/make-rule.ts";
import { Fingerprinter } from "../../src/store/table/fingerprint.ts";
import { Seal } from "../../src/wire/seal.ts";
import { type FrameVector, frameVectors } from "./frame-vectors.ts";
import {
  type ClusterKeys,
  clusterKeys,
  fingerprintOf,
  identityOf,
  meaningOf,
  nameOf,
  seedOf,
} from "./plain-names.ts";
import { readFrame } from "./plain-reader.ts";
import { digitsOf, halvesOf } from "./section-writer.ts";

const VECTORS = "./vectors.json";

type Options = Readonly<Record<string, unknown>>;
/** A policy as its user gives it. */
type Given = readonly [policy: Policy["kind"], options: Options];

interface LimiterVector {
  readonly name: string;
  readonly policies: readonly { readonly policy: Policy["kind"]; readonly options: Options }[];
  readonly meanings: readonly string[];
  readonly identity: string;
}

interface ClusterVector {
  readonly namespace: string;
  readonly secret: string | null;
  readonly tag: string;
  /** What stands for the name of the first limiter, and the seed of its keys' fingerprints. */
  readonly name: string;
  readonly seed: string;
  readonly keys: readonly {
    readonly text?: string;
    readonly bytes?: string;
    readonly fingerprint: string;
  }[];
}

interface Vectors {
  readonly version: number;
  readonly limiters: readonly LimiterVector[];
  readonly clusters: readonly [ClusterVector, ClusterVector];
  readonly frames: readonly FrameVector[];
}

const FACTORIES: Readonly<Record<Policy["kind"], (options: never) => Policy>> = {
  ...{ fixedWindow, slidingWindow, slidingLog, tokenBucket, leakyBucket, concurrency },
};

const minute = { limit: 100, windowMs: 60_000 };
const LIMITERS: readonly (readonly [name: string, ...policies: readonly Given[]])[] = [
  ["api", ["fixedWindow", minute]],
  ["api", ["fixedWindow", { ...minute, limit: 5, ban: { after: 20, forMs: 3_600_000 } }]],
  ["api", ["fixedWindow", { ...minute, backoff: true }]],
  ["api", ["fixedWindow", { ...minute, align: true }]],
  ["api", ["fixedWindow", { limit: 10, calendar: "day" }]],
  ["api", ["fixedWindow", { limit: 10, calendar: "month", timeZone: "Europe/Berlin" }]],
  ["api", ["fixedWindow", { limit: 10, calendar: "week", timeZone: "utc" }]],
  ["api", ["fixedWindow", { limit: 10, calendar: "week", weekStartsOn: "sunday" }]],
  ["api", ["slidingWindow", minute]],
  ["api", ["slidingWindow", { limit: 100, windowMs: 50_000 }]],
  ["api", ["slidingWindow", { limit: 100, windowMs: 1_000, slots: 4 }]],
  ["api", ["tokenBucket", { capacity: 20, refillPerSecond: 5 }]],
  ["api", ["leakyBucket", { capacity: 20, leakPerSecond: 5, maxWaitMs: 500 }]],
  ["api", ["tokenBucket", { capacity: 0, refillPerSecond: 0.1 }]],
  ["api", ["tokenBucket", { capacity: 2_047, refillPerSecond: 1_000 }]],
  ["api", ["tokenBucket", { capacity: 2_048, refillPerSecond: 1_000 }]],
  ["api", ["tokenBucket", { capacity: 16_383, refillPerSecond: 1_000 }]],
  ["api", ["tokenBucket", { capacity: 16_384, refillPerSecond: 1_000 }]],
  ["api", ["tokenBucket", { capacity: 100, refillPerSecond: 1 / 60 }]],
  ["api", ["slidingLog", minute]],
  ["api", ["concurrency", { limit: 10 }]],
  [
    "sign-in",
    ["tokenBucket", { capacity: 10, refillPerSecond: 2 }],
    ["fixedWindow", { limit: 1_000, calendar: "hour" }],
    ["concurrency", { limit: 3 }],
  ],
  ['a "name" with \\, <&>, grüße, 東京, 🦊 and \u2028', ["concurrency", { limit: 10 }]],
];

const SECRET = "thirty-two bytes, drawn at random";
const TEXTS = ["ada", "", "10.0.0.1", "user:1234567", "grüße", "東京🦊", "half \ud800 a pair"];
const BYTES = ["616461", "00ff80", "c3a9"];

function limiterVector([name, ...given]: (typeof LIMITERS)[number]): LimiterVector {
  const policies = given.map(([policy, options]) => ({ policy, options }));
  const meanings = policies.map(
    ({ policy, options }) => makeRule(FACTORIES[policy](options as never), true).meaning,
  );
  return { name, policies, meanings, identity: digitsOf(limiterIdentity(name, meanings)) };
}

function clusterVector(seal: Seal, secret: string | null, first: LimiterVector): ClusterVector {
  const tag = Buffer.alloc(4);
  tag.writeUInt32LE(seal.tag);
  const seed = seal.keySeed(halvesOf(first.identity));
  const fingerprinter = new Fingerprinter(seed);
  const take = (key: string | Uint8Array): string => {
    fingerprinter.take(key);
    return digitsOf(fingerprinter);
  };
  return {
    ...{ namespace: "shop", secret, tag: tag.toString("hex") },
    ...{ name: digitsOf(seal.nameTag(first.name)), seed: digitsOf(seed) },
    keys: [
      ...TEXTS.map((text) => ({ text, fingerprint: take(text) })),
      ...BYTES.map((bytes) => ({ bytes, fingerprint: take(Buffer.from(bytes, "hex")) })),
    ],
  };
}

function made(): Vectors {
  const [open, sealed] = [new Seal("shop", undefined), new Seal("shop", SECRET)];
  const limiters = LIMITERS.map(limiterVector);
  return {
    version: 0,
    limiters,
    clusters: [
      clusterVector(open, null, limiters[0]!),
      clusterVector(sealed, SECRET, limiters[0]!),
    ],
    frames: frameVectors(open, sealed),
  };
}

function published(): Vectors {
  return JSON.parse(readFileSync(new URL(VECTORS, import.meta.url), "utf8")) as Vectors;
}

describe("the published vectors", () => {
  it("are what this code writes, so that other programs can be written", async () => {
    await expect(`${JSON.stringify(made(), null, 2)}\n`).toMatchFileSnapshot(VECTORS);
  });

  it("have a limiter of every policy", () => {
    const given = published().limiters.flatMap(({ policies }) =>
      policies.map(({ policy }) => policy),
    );
    expect(new Set(given)).toEqual(new Set(Object.keys(FACTORIES)));
  });

  it("are limiters whose identities follow from what their policies were given", () => {
    for (const { name, policies, meanings, identity } of published().limiters) {
      expect(policies.map(({ policy, options }) => meaningOf(policy, options))).toEqual(meanings);
      expect(identityOf(name, meanings)).toBe(identity);
    }
  });

  it("are keys whose fingerprints follow from namespace, secret and the limiter's identity", () => {
    const { limiters, clusters } = published();
    const [limiter] = limiters;
    for (const { namespace, secret, tag, name, seed, keys } of clusters) {
      const derived = clusterKeys(namespace, secret);
      expect(derived.tag).toBe(tag);
      expect(nameOf(derived, limiter!.name)).toBe(name);
      expect(seedOf(derived, limiter!.identity)).toBe(seed);
      for (const { text = "", bytes, fingerprint } of keys) {
        const key = bytes === undefined ? Buffer.from(text) : Buffer.from(bytes, "hex");
        expect(fingerprintOf(seed, key)).toBe(fingerprint);
      }
    }
  });

  it("can be read by a reader that was written from the page alone", () => {
    const { clusters, frames } = published();
    const [open, sealed] = clusters.map(({ namespace, secret }) => clusterKeys(namespace, secret));
    for (const { says, frame } of frames) {
      expect(readFrame(frame, (says.isSealed ? sealed : open) as ClusterKeys)).toEqual(says);
    }
    expect(new Set(frames.map(({ says }) => says.kind)).size).toBe(6);
  });
});
