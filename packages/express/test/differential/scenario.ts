/**
 * What both limiters are given: options that express-rate-limit knows, and requests with time between.
 *
 * At most one thing in a scenario makes the two count differently, so that every difference in it has
 * one reason.
 */

import fc from "fast-check";

/** A thing in which the two are known to count, or to number, differently. */
export type Peculiarity =
  | "none"
  | "preflight"
  | "stacked"
  | "limit-zero"
  | "fractions"
  | "infinite"
  | "address"
  | "translated"
  | "spelling"
  | "store"
  | "store-hits"
  | "numeric-text";

/** An answer of a scripted store: hits, and milliseconds until its window ends. */
export type StoreAnswer = readonly [totalHits: number | string, resetInMs: number | null];

export interface ScenarioOptions {
  readonly limit: number;
  readonly windowMs: number;
  readonly limitAs: "number" | "max" | "function" | "promise";
  readonly legacyHeaders: boolean | undefined;
  readonly standardHeaders: boolean | "draft-6" | "draft-7" | "draft-8";
  readonly message: "default" | "text" | "object" | "function" | "promise";
  readonly statusCode: number | undefined;
  readonly identifier: string | undefined;
  readonly keyed: boolean;
  readonly skips: boolean;
  readonly skipFailedRequests: boolean;
  readonly skipSuccessfulRequests: boolean;
  readonly retryAfter: number | undefined;
  readonly ipv6Subnet: number | false | undefined;
  readonly handler: boolean;
}

export interface ScenarioRequest {
  readonly method: "GET" | "HEAD" | "POST" | "OPTIONS";
  /** What the application answers, if the request gets there. */
  readonly status: number;
  readonly user: string;
  readonly from: string;
  readonly isSkipped: boolean;
  readonly isPreflight: boolean;
  /** Time that passes before it. */
  readonly afterMs: number;
  readonly stored: StoreAnswer;
}

export interface Scenario {
  readonly peculiarity: Peculiarity;
  readonly options: ScenarioOptions;
  /** The limit of a second limiter behind the first, where limiters are stacked. */
  readonly secondLimit: number;
  /** Whether the application says beforehand that its responses may be kept. */
  readonly isCached: boolean;
  readonly requests: readonly ScenarioRequest[];
}

const WINDOWS = [999, 1_000, 1_500, 10_000, 60_000, 90_500, 3_600_000, 7_200_000, 86_400_000];

const ADDRESSES: Readonly<Partial<Record<Peculiarity, readonly string[]>>> = {
  address: ["unknown", "<script>", "192.0.2.7:80", "192.0.2.7:81"],
  translated: ["64:ff9b::1.2.3.4", "64:ff9b::1.2.3.5", "64:ff9b::102:306"],
  spelling: ["::192.0.2.1", "::c000:201"],
};

const PLAIN_ADDRESSES = [
  "192.0.2.1",
  "192.0.2.2",
  "::ffff:192.0.2.1",
  "::ffff:c000:202",
  "2001:db8:1:2:3:4:5:6",
  "2001:db8:1:ff::1",
  "2001:0DB8:0001:0100::1",
  "::1",
];

export const SCENARIOS: fc.Arbitrary<Scenario> = fc
  .constantFrom<Peculiarity>(
    ...(["none", "none", "none", "none", "none", "preflight", "stacked", "limit-zero"] as const),
    ...([
      "fractions",
      "infinite",
      "address",
      "translated",
      "spelling",
      "store",
      "store-hits",
      "numeric-text",
    ] as const),
  )
  .chain((peculiarity) =>
    fc.record({
      peculiarity: fc.constant(peculiarity),
      options: optionsOf(peculiarity),
      secondLimit: fc.integer({ min: 1, max: 4 }),
      isCached: fc.boolean(),
      requests: fc.array(requestOf(peculiarity), { minLength: 4, maxLength: 12, size: "max" }),
    }),
  );

function optionsOf(peculiarity: Peculiarity): fc.Arbitrary<ScenarioOptions> {
  const isAddressed = ADDRESSES[peculiarity] !== undefined;
  const limits: Partial<Record<Peculiarity, readonly number[]>> = {
    ...{ "limit-zero": [0], fractions: [1.5, 2.25], infinite: [Number.POSITIVE_INFINITY] },
  };
  const limit = fc.constantFrom(...(limits[peculiarity] ?? [1, 2, 3, 4]));
  const isCounting = !peculiarity.startsWith("store") && peculiarity !== "stacked";
  return fc.record({
    limit,
    windowMs: fc.constantFrom(...WINDOWS),
    limitAs: fc.constantFrom("number", "number", "max", "function", "promise"),
    legacyHeaders: fc.constantFrom(undefined, undefined, true, false),
    standardHeaders: fc.constantFrom(false, false, true, "draft-6", "draft-7", "draft-8"),
    message: fc.constantFrom("default", "default", "text", "object", "function", "promise"),
    statusCode: fc.constantFrom(undefined, undefined, 420, 503),
    identifier: fc.constantFrom(undefined, undefined, "mine", "a b"),
    keyed: isAddressed ? fc.constant(false) : fc.boolean(),
    skips: fc.boolean(),
    skipFailedRequests: isCounting ? fc.boolean() : fc.constant(false),
    skipSuccessfulRequests: isCounting ? fc.boolean() : fc.constant(false),
    retryAfter: fc.constantFrom(undefined, undefined, undefined, 7),
    ipv6Subnet: isAddressed
      ? fc.constant(undefined)
      : fc.constantFrom(undefined, undefined, 64, 48),
    handler: fc.constantFrom(false, false, false, true),
  }) as fc.Arbitrary<ScenarioOptions>;
}

function requestOf(peculiarity: Peculiarity): fc.Arbitrary<ScenarioRequest> {
  const preflights = peculiarity === "preflight" ? [true, false] : [false];
  return fc.record({
    method: fc.constantFrom("GET", "GET", "GET", "HEAD", "POST", "OPTIONS"),
    status: fc.constantFrom(200, 200, 302, 404, 500),
    user: fc.constantFrom("ada", "ada", "eve"),
    from: fc.constantFrom(...(ADDRESSES[peculiarity] ?? PLAIN_ADDRESSES)),
    isSkipped: fc.constantFrom(false, false, false, true),
    isPreflight: fc.constantFrom(...preflights),
    afterMs: fc.oneof(
      fc.constantFrom(0, 0, 0, 1, 400, 999, 1_000),
      fc.constantFrom(...WINDOWS.slice(0, 6)),
    ),
    stored:
      peculiarity === "store-hits"
        ? fc.tuple(fc.constantFrom("1", "3", 0.5, 1.5, 2, -5), fc.constant(60_000))
        : fc.tuple(
            fc.integer({ min: 1, max: 6 }),
            fc.constantFrom(null, -5_000, 0, 1, 1_500, 60_000),
          ),
  }) as fc.Arbitrary<ScenarioRequest>;
}
