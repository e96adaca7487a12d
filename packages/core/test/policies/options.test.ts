import { describe, expect, it } from "vitest";
import {
  concurrency,
  DAY,
  fixedWindow,
  leakyBucket,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "../../src/index.ts";
import { MAX, ODD_VALUES, outcome } from "../limiter/odd-values.ts";

const INVALID = "TIDEGATE_OPTION_INVALID";
const MISSING = "TIDEGATE_OPTION_MISSING";
const THOUSAND_YEARS_MS = 31_536_000_000_000;

// biome-ignore lint/suspicious/noExplicitAny: what is tested is what the types forbid.
type Anything = any;
type Make = (value: Anything) => unknown;

interface Row {
  readonly option: string;
  /** Makes a policy with the value, and returns what it became. */
  readonly make: Make;
  /** What becomes of `undefined`. */
  readonly absent: unknown;
  /** The odd values that are taken, and what they become. */
  readonly takes: Readonly<Record<string, unknown>>;
  /** Values at the edges of what is taken, and what they become. */
  readonly edges?: readonly (readonly [unknown, unknown])[];
}

const WHOLE = { "0": 0, "-0": 0, "2^53 - 1": MAX };
const FLAG = { true: true };
const BUCKET_EDGES = [
  [9_007_199_254_740, 9_007_199_254_740],
  [9_007_199_254_741, INVALID],
] as const;
const DURATION_EDGES = [
  [1, 1],
  [THOUSAND_YEARS_MS, THOUSAND_YEARS_MS],
  [THOUSAND_YEARS_MS + 1, INVALID],
] as const;
const RATE_EDGES = [
  [1 / 60, 1 / 60],
  [1e9, 1e9],
  [1e9 + 1, INVALID],
] as const;

const fixed = (more: Anything): Anything => fixedWindow({ limit: 1, windowMs: 60_000, ...more });
const dated = (more: Anything): Anything => fixedWindow({ limit: 1, calendar: "week", ...more });
const sliding = (more: Anything): Anything =>
  slidingWindow({ limit: 1, windowMs: 60_000, ...more });

const ROWS: readonly Row[] = [
  {
    option: "fixedWindow limit",
    make: (limit) => fixed({ limit }).limit,
    absent: MISSING,
    takes: WHOLE,
  },
  {
    option: "fixedWindow windowMs",
    make: (windowMs) => fixed({ windowMs }).windowMs,
    absent: MISSING,
    takes: {},
    edges: DURATION_EDGES,
  },
  { option: "align", make: (align) => fixed({ align }).align, absent: false, takes: FLAG },
  {
    option: "calendar",
    make: (calendar) => dated({ calendar }).calendar.unit,
    absent: MISSING,
    takes: {},
    edges: [
      ["month", "month"],
      ["months", INVALID],
    ],
  },
  {
    option: "timeZone",
    make: (timeZone) => dated({ timeZone }).calendar.timeZone,
    absent: undefined,
    takes: {},
    edges: [
      ["Europe/Berlin", "Europe/Berlin"],
      ["Mars/Olympus", INVALID],
      ["+05:30", INVALID],
    ],
  },
  {
    option: "weekStartsOn",
    make: (weekStartsOn) => dated({ weekStartsOn }).calendar.weekStartsOn,
    absent: undefined,
    takes: {},
    edges: [
      ["sunday", "sunday"],
      ["Sunday", INVALID],
    ],
  },
  {
    option: "fixedWindow countRefused",
    make: (countRefused) => fixed({ countRefused }).countRefused,
    absent: false,
    takes: FLAG,
  },
  { option: "restart", make: (restart) => fixed({ restart }).restart, absent: false, takes: FLAG },
  { option: "drain", make: (drain) => fixed({ drain }).drain, absent: false, takes: FLAG },
  {
    option: "backoff",
    make: (backoff) => fixed({ backoff }).backoff,
    absent: null,
    takes: {
      true: { factor: 2, maxMs: DAY },
      "an empty object": { factor: 2, maxMs: DAY },
    },
    edges: [[false, null]],
  },
  {
    option: "backoff.factor",
    make: (factor) => fixed({ backoff: { factor } }).backoff.factor,
    absent: 2,
    takes: { "1.5": 1.5 },
    edges: [
      [1, INVALID],
      [1_000, 1_000],
      [1_001, INVALID],
    ],
  },
  {
    option: "backoff.maxMs",
    make: (maxMs) => fixed({ backoff: { maxMs } }).backoff.maxMs,
    absent: DAY,
    takes: {},
    edges: DURATION_EDGES,
  },
  {
    option: "ban",
    make: (ban) => fixed({ ban }).ban,
    absent: null,
    takes: { "an empty object": MISSING },
  },
  {
    option: "ban.after",
    make: (after) => fixed({ ban: { after, forMs: 1 } }).ban.after,
    absent: MISSING,
    takes: WHOLE,
  },
  {
    option: "ban.forMs",
    make: (forMs) => fixed({ ban: { after: 1, forMs } }).ban.forMs,
    absent: MISSING,
    takes: {},
    edges: DURATION_EDGES,
  },
  {
    option: "slidingWindow limit",
    make: (limit) => sliding({ limit }).limit,
    absent: MISSING,
    takes: WHOLE,
  },
  {
    option: "slidingWindow windowMs",
    make: (windowMs) => sliding({ windowMs }).windowMs,
    absent: MISSING,
    takes: {},
    edges: DURATION_EDGES,
  },
  {
    option: "slots",
    make: (slots) => sliding({ slots }).slots,
    absent: 12,
    takes: {},
    edges: [
      [1, 1],
      [1_000, 1_000],
      [1_001, INVALID],
      [7, INVALID],
    ],
  },
  {
    option: "slidingWindow countRefused",
    make: (countRefused) => sliding({ countRefused }).countRefused,
    absent: false,
    takes: FLAG,
  },
  {
    option: "slidingLog limit",
    make: (limit) => slidingLog({ limit, windowMs: 1 }).limit,
    absent: MISSING,
    takes: { "0": 0, "-0": 0 },
    edges: [
      [1_000_000, 1_000_000],
      [1_000_001, INVALID],
    ],
  },
  {
    option: "slidingLog windowMs",
    make: (windowMs) => slidingLog({ limit: 1, windowMs }).windowMs,
    absent: MISSING,
    takes: {},
    edges: DURATION_EDGES,
  },
  {
    option: "tokenBucket capacity",
    make: (capacity) => tokenBucket({ capacity, refillPerSecond: 1 }).limit,
    absent: MISSING,
    takes: { "0": 0, "-0": 0 },
    edges: BUCKET_EDGES,
  },
  {
    option: "refillPerSecond",
    make: (refillPerSecond) => tokenBucket({ capacity: 1, refillPerSecond }).perSecond,
    absent: MISSING,
    takes: { "1.5": 1.5 },
    edges: RATE_EDGES,
  },
  {
    option: "leakyBucket capacity",
    make: (capacity) => leakyBucket({ capacity, leakPerSecond: 1 }).limit,
    absent: MISSING,
    takes: { "0": 0, "-0": 0 },
    edges: BUCKET_EDGES,
  },
  {
    option: "leakPerSecond",
    make: (leakPerSecond) => leakyBucket({ capacity: 1, leakPerSecond }).perSecond,
    absent: MISSING,
    takes: { "1.5": 1.5 },
    edges: RATE_EDGES,
  },
  {
    option: "maxWaitMs",
    make: (maxWaitMs) => leakyBucket({ capacity: 1, leakPerSecond: 1, maxWaitMs }).maxWaitMs,
    absent: 0,
    takes: { "0": 0, "-0": 0 },
    edges: DURATION_EDGES,
  },
  {
    option: "concurrency limit",
    make: (limit) => concurrency({ limit }).limit,
    absent: MISSING,
    takes: WHOLE,
  },
];

for (const { option, make, absent, takes, edges = [] } of ROWS) {
  describe(option, () => {
    it(`undefined is ${shown(absent)}`, () => {
      expect(outcome(() => make(undefined))).toEqual(absent);
    });
    for (const [title, value] of ODD_VALUES) {
      const expected = title in takes ? takes[title] : INVALID;
      it(`${title} is ${shown(expected)}`, () => {
        expect(outcome(() => make(value))).toEqual(expected);
      });
    }
    for (const [value, expected] of edges) {
      it(`${value} is ${shown(expected)}`, () => {
        expect(outcome(() => make(value))).toEqual(expected);
      });
    }
  });
}

function shown(expected: unknown): string {
  if (expected === INVALID) return "refused";
  if (expected === MISSING) return "refused as missing";
  return expected === undefined ? "absent" : `taken as ${JSON.stringify(expected)}`;
}
