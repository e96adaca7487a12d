/**
 * What both limiters are given: options that koa-ratelimit knows, and requests with time between.
 *
 * At most one thing in a scenario makes the two count differently, so that every difference in it has
 * one reason. Windows last an odd number of milliseconds and time passes in even ones, so that no
 * request comes at the very end of a window unless that is what a scenario is about.
 */

import fc from "fast-check";

export const PECULIARITIES = [
  ...(["none", "edge", "preflight", "stacked", "ipv6", "address", "limit-zero"] as const),
  ...(["infinite", "long-waits", "numeric-text"] as const),
] as const;

export type Peculiarity = (typeof PECULIARITIES)[number];

export interface ScenarioOptions {
  readonly max: number | undefined;
  readonly duration: number | undefined;
  readonly keyed: "text" | "number" | null;
  readonly renames: "all" | "some" | null;
  readonly namespace: string | undefined;
  readonly disableHeader: boolean | undefined;
  readonly errorMessage: string | object | undefined;
  readonly status: number | undefined;
  readonly throws: boolean;
  readonly lists: boolean;
  /** Whether `onLimited` answers in its own way, by throwing. */
  readonly answersItself: boolean;
}

export interface ScenarioRequest {
  readonly method: "get" | "head" | "options";
  readonly user: string;
  readonly from: string;
  readonly isPreflight: boolean;
  readonly afterMs: number;
}

export interface Scenario {
  readonly peculiarity: Peculiarity;
  readonly options: ScenarioOptions;
  readonly requests: readonly ScenarioRequest[];
}

const WINDOWS = [999, 2_501, 10_001, 89_999, 3_600_001, 100_000_001];
const LONG_MS = 2 ** 31 + 101;
const EDGE_MS = 1_000;

const ADDRESSES: Readonly<Partial<Record<Peculiarity, readonly string[]>>> = {
  ipv6: ["2001:db8::1", "2001:db8::2", "::ffff:192.0.2.1", "192.0.2.1"],
  address: ["unknown", "<script>", "192.0.2.7:80", "192.0.2.7:81"],
};

export const SCENARIOS: fc.Arbitrary<Scenario> = fc
  .constantFrom<Peculiarity>(...Array<Peculiarity>(8).fill("none"), ...PECULIARITIES)
  .chain((peculiarity) =>
    fc.record({
      peculiarity: fc.constant(peculiarity),
      options: optionsOf(peculiarity),
      requests: fc.array(requestOf(peculiarity), { minLength: 6, maxLength: 14, size: "max" }),
    }),
  );

function optionsOf(peculiarity: Peculiarity): fc.Arbitrary<ScenarioOptions> {
  const isAddressed = ADDRESSES[peculiarity] !== undefined;
  const windows: Partial<Record<Peculiarity, readonly number[]>> = {
    edge: [EDGE_MS],
    "long-waits": [LONG_MS],
  };
  const limits: Partial<Record<Peculiarity, readonly number[]>> = {
    ...{ "limit-zero": [0], infinite: [Number.POSITIVE_INFINITY], "long-waits": [1] },
  };
  // What is peculiar about the others shows at limits that are reached.
  const usual = peculiarity === "none" ? [undefined] : [];
  return fc.record({
    max: fc.constantFrom(...(limits[peculiarity] ?? [1, 2, 3, 4, ...usual])),
    duration: fc.constantFrom(...(windows[peculiarity] ?? [...WINDOWS, ...usual])),
    keyed: isAddressed ? fc.constant(null) : fc.constantFrom("text", "number", null, null),
    renames: fc.constantFrom<"all" | "some" | null>(null, null, "all", "some"),
    namespace: fc.constantFrom(undefined, "shop"),
    disableHeader: fc.constantFrom(undefined, false, true),
    errorMessage: fc.constantFrom<string | object | undefined>(
      ...[undefined, undefined, "No more.", { error: "no more" }],
    ),
    status: fc.constantFrom(undefined, undefined, 420, 503, 0),
    throws: fc.constantFrom(false, false, true),
    lists: fc.boolean(),
    // What is peculiar about the others shows in answers of their own.
    answersItself: peculiarity === "none" ? fc.boolean() : fc.constant(false),
  });
}

function requestOf(peculiarity: Peculiarity): fc.Arbitrary<ScenarioRequest> {
  const times =
    peculiarity === "edge" ? [0, 0, EDGE_MS / 2, EDGE_MS] : [0, 0, 0, 2, 400, 998, 2_502];
  return fc.record({
    method: fc.constantFrom("get", "get", "get", "head", "options"),
    user: fc.constantFrom("ada", "ada", "ada", "eve", "listed", "nobody", "bad"),
    from: fc.constantFrom(
      ...(ADDRESSES[peculiarity] ?? ["192.0.2.1", "192.0.2.2", "2001:db8:1::1"]),
    ),
    isPreflight: fc.constantFrom(...(peculiarity === "preflight" ? [true, false] : [false])),
    afterMs: fc.constantFrom(...times),
  });
}
