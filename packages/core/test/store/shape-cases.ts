/**
 * Every shape of the store beside the reference of it, and the keys that tests count for.
 */

import { calendarCut, evenCut, type ReferencePolicy, slidingCut } from "@tidegate/testkit";
import {
  concurrency,
  fixedWindow,
  type Policy,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "../../src/index.ts";
import { grid, makeRule, type RuleSection } from "../../src/store/shapes/make-rule.ts";

const HOUR_MS = 3_600_000;
const LOW_STEP = 0x3779_b1c5;

export interface ShapeCase {
  readonly name: string;
  readonly policies: readonly Policy[];
  /** Makes the sections of one store. */
  readonly sections: () => RuleSection[];
  readonly reference: readonly ReferencePolicy[];
  /** The time in which what is counted is over: steps of the clock are measured by it. */
  readonly lifeMs: number;
  /** By policy: the length of a first-hit window, and 0 for other shapes. */
  readonly windowMs: readonly number[];
  /** Policies that count refused hits beside the others. */
  readonly refusing: readonly number[];
  /** Whether what a replica knows depends on when it looked: it must then look after every step. */
  readonly looksAlways: boolean;
}

export function lowOf(key: number): number {
  return Math.imul(key + 1, LOW_STEP);
}

export function highOf(key: number): number {
  return ~lowOf(key);
}

const NUMBER_OF_LOW = new Map(Array.from({ length: 64 }, (_, key) => [lowOf(key), key]));

/** The key with this low half of the fingerprint. */
export function keyOf(low: number): number {
  return NUMBER_OF_LOW.get(low)!;
}

const LIMIT = 10;
const BAN = { after: 3, forMs: 500 };

function made(
  shape: Pick<ShapeCase, "name" | "lifeMs" | "reference"> & Partial<ShapeCase>,
  ...policies: Policy[]
): ShapeCase {
  return {
    policies,
    sections: () => policies.map((policy) => makeRule(policy, true)),
    windowMs: shape.reference.map((policy) => (policy.shape === "window" ? policy.windowMs : 0)),
    refusing: [],
    looksAlways: false,
    ...shape,
  };
}

/** A window of the length with the spread that such windows have. */
function windowOf(windowMs: number): ReferencePolicy {
  return { shape: "window", windowMs, spreadMs: Math.min(Math.floor(windowMs / 8), 100) };
}

const evenly: ReferencePolicy = {
  shape: "aligned",
  cutFor: (key) => evenCut(1_000, (lowOf(Number(key)) >>> 0) % 1_000),
};

const sliding: ReferencePolicy = { shape: "grid", slotMs: 200, cutAt: slidingCut(200, 5) };

/** A bucket of few slots, so that histories go through many of them. */
const BUCKET = { slotMs: 100, slots: 5, published: 1, shared: true, leak: 1_000 };

export const WINDOWS: ShapeCase = made(
  { name: "first-hit windows", lifeMs: 1_000, looksAlways: true, reference: [windowOf(1_000)] },
  fixedWindow({ limit: LIMIT, windowMs: 1_000 }),
);

export const SHORT_WINDOWS: ShapeCase = made(
  { name: "first-hit windows without spread", lifeMs: 7, reference: [windowOf(7)] },
  fixedWindow({ limit: LIMIT, windowMs: 7 }),
);

export const REFUSING_WINDOWS: ShapeCase = made(
  {
    name: "first-hit windows that count refused hits",
    lifeMs: 1_000,
    looksAlways: true,
    refusing: [0],
    reference: [windowOf(1_000)],
  },
  fixedWindow({ limit: LIMIT, windowMs: 1_000, ban: BAN }),
);

export const ALIGNED: ShapeCase = made(
  { name: "aligned windows", lifeMs: 1_000, refusing: [0], reference: [evenly] },
  fixedWindow({ limit: LIMIT, windowMs: 1_000, align: true, ban: BAN }),
);

export const CALENDAR: ShapeCase = made(
  {
    name: "calendar windows",
    lifeMs: HOUR_MS,
    reference: [{ shape: "aligned", cutFor: () => calendarCut(HOUR_MS) }],
  },
  fixedWindow({ limit: LIMIT, calendar: "hour" }),
);

export const SLIDING: ShapeCase = made(
  { name: "sliding windows", lifeMs: 1_200, reference: [sliding] },
  slidingWindow({ limit: LIMIT, windowMs: 1_000, slots: 5 }),
);

export const BUCKETS: ShapeCase = made(
  {
    name: "buckets",
    lifeMs: 600,
    looksAlways: true,
    sections: () => [grid("a bucket with other slots", BUCKET, 0)],
    reference: [{ shape: "bucket", slotMs: 100, slotCount: 5, told: 1, leak: 1_000 }],
  },
  tokenBucket({ capacity: LIMIT, refillPerSecond: 10 }),
);

export const GAUGES: ShapeCase = made(
  { name: "gauges", lifeMs: 1_000, reference: [{ shape: "gauge" }] },
  concurrency({ limit: LIMIT }),
);

export const LOGS: ShapeCase = made(
  { name: "logs", lifeMs: 1_000, reference: [{ shape: "log", windowMs: 1_000 }] },
  slidingLog({ limit: LIMIT, windowMs: 1_000 }),
);

export const SEVERAL: ShapeCase = made(
  {
    name: "several policies of one key",
    lifeMs: 1_000,
    looksAlways: true,
    reference: [windowOf(1_000), { shape: "gauge" }, sliding],
  },
  fixedWindow({ limit: LIMIT, windowMs: 1_000 }),
  concurrency({ limit: LIMIT }),
  slidingWindow({ limit: LIMIT, windowMs: 1_000, slots: 5 }),
);

/** The case of each policy, with the reference that it is compared with. */
const BY_KIND: Readonly<Record<Policy["kind"], ShapeCase>> = {
  fixedWindow: WINDOWS,
  slidingWindow: SLIDING,
  slidingLog: LOGS,
  tokenBucket: BUCKETS,
  leakyBucket: BUCKETS,
  concurrency: GAUGES,
};

const MORE = [SHORT_WINDOWS, REFUSING_WINDOWS, ALIGNED, CALENDAR, SEVERAL];

export const SHAPE_CASES: readonly ShapeCase[] = [...new Set([...Object.values(BY_KIND), ...MORE])];
