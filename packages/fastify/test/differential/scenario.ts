/**
 * What both plugins are given: options that @fastify/rate-limit knows, and requests with time between.
 *
 * At most one thing in a scenario makes the two count differently, so that every difference in it has
 * one reason.
 */

import fc from "fast-check";
import type { RateLimitHook } from "../../src/index.ts";

export const PECULIARITIES = [
  ...(["none", "preflight", "group", "every-handler", "backoff", "ban-window"] as const),
  ...(["limit-zero", "bare-body", "fractions", "stacked", "address", "translated"] as const),
  ...(["address-lists", "allow-text", "infinite", "numeric-text", "widths"] as const),
] as const;

export type Peculiarity = (typeof PECULIARITIES)[number];

export interface ScenarioOptions {
  readonly max: number | undefined;
  readonly isFunction: boolean;
  readonly timeWindow: number | string;
  readonly ban: number | undefined;
  readonly continueExceeding: boolean;
  readonly keyed: "text" | "number" | null;
  readonly allowList: "none" | "array" | "function";
  readonly hook: RateLimitHook | undefined;
  readonly global: boolean;
  readonly enableDraftSpec: boolean;
  readonly hides: "none" | "limit" | "reset";
  readonly builds: "nothing" | "error" | "object" | "text";
  readonly routeMax: number | undefined;
}

export interface ScenarioRequest {
  readonly method: "GET" | "HEAD" | "POST" | "OPTIONS";
  readonly url: string;
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

const ADDRESSES: Readonly<Partial<Record<Peculiarity, readonly string[]>>> = {
  address: ["unknown", "<script>", "192.0.2.7:80", "192.0.2.7:81"],
  translated: ["64:ff9b::1.2.3.4", "64:ff9b::1.2.3.5", "64:ff9b::102:306"],
  "address-lists": ["2001:db8:1:2:3::4", "2001:db8:1:2::5", "192.0.2.1"],
};

const PLAIN_ADDRESSES = [
  ...["192.0.2.1", "192.0.2.2", "::ffff:192.0.2.1", "2001:db8:1:2:3:4:5:6", "2001:DB8:1:2::7"],
];

const URLS: Readonly<Partial<Record<Peculiarity, readonly string[]>>> = {
  ...{ backoff: ["/"], "ban-window": ["/"] },
  group: ["/one-of-two", "/other-of-two"],
  "every-handler": ["/handled"],
  widths: ["/"],
};

/** More clients, each with a width of window of its own, than there are widths. */
const WIDTHS = 68;

export const SCENARIOS: fc.Arbitrary<Scenario> = fc
  .constantFrom<Peculiarity>(...Array<Peculiarity>(12).fill("none"), ...PECULIARITIES)
  .chain((peculiarity) =>
    fc.record({
      peculiarity: fc.constant(peculiarity),
      options: optionsOf(peculiarity),
      requests: peculiarity === "widths" ? manyClients() : requestsOf(peculiarity, 8, 20),
    }),
  );

function requestsOf(
  peculiarity: Peculiarity,
  minLength: number,
  maxLength: number,
): fc.Arbitrary<ScenarioRequest[]> {
  return fc.array(requestOf(peculiarity), { minLength, maxLength, size: "max" });
}

/** Requests of one client after the other, and of the first ones again. */
function manyClients(): fc.Arbitrary<ScenarioRequest[]> {
  return requestsOf("widths", WIDTHS + 4, WIDTHS + 8).map((requests) =>
    requests.map((request, index) => ({ ...request, user: `user-${index % WIDTHS}` })),
  );
}

function optionsOf(peculiarity: Peculiarity): fc.Arbitrary<ScenarioOptions> {
  const isAddressed = ADDRESSES[peculiarity] !== undefined;
  const limits: Partial<Record<Peculiarity, readonly number[]>> = {
    ...{ "limit-zero": [0], fractions: [1.5, 2.25], "every-handler": [9] },
    ...{ backoff: [1], "ban-window": [1], infinite: [Number.POSITIVE_INFINITY] },
  };
  const isPenal = peculiarity === "ban-window";
  return fc
    .record({
      max: fc.constantFrom(...(limits[peculiarity] ?? [1, 2, 3, 4, undefined])),
      isFunction: ["fractions", "numeric-text"].includes(peculiarity)
        ? fc.constant(true)
        : fc.boolean(),
      timeWindow: fc.constantFrom<number | string>(...[1_000, 2_500, "2 seconds", "1m", 5_000.5]),
      ban: isPenal ? fc.constantFrom(1, 2) : fc.constantFrom(undefined, undefined, -1, 0, 1, 2),
      continueExceeding: isPenal ? fc.constant(true) : fc.constantFrom(false, false, false, true),
      keyed:
        isAddressed || peculiarity === "widths"
          ? fc.constant(peculiarity === "widths" ? "text" : null)
          : fc.constantFrom(
              "text",
              ...(peculiarity === "allow-text" ? [] : (["number", null, null] as const)),
            ),
      allowList: isAddressed ? fc.constant("none") : fc.constantFrom("none", "array", "function"),
      hook: fc.constantFrom<RateLimitHook | undefined>(
        ...([
          undefined,
          undefined,
          "onRequest",
          "preParsing",
          "preValidation",
          "preHandler",
        ] as const),
      ),
      global:
        URLS[peculiarity] === undefined ? fc.constantFrom(true, true, false) : fc.constant(true),
      enableDraftSpec: fc.constantFrom(false, false, true),
      hides: fc.constantFrom("none", "none", "limit", "reset"),
      builds:
        peculiarity === "bare-body"
          ? fc.constantFrom("object", "text")
          : fc.constantFrom("nothing", "nothing", "error", "object"),
      routeMax: fc.constantFrom(undefined, 1, 2),
    })
    .map((options) => ({
      ...options,
      // A ban counts otherwise where waits begin anew; that has scenarios of its own.
      ...(options.continueExceeding && !isPenal && { ban: undefined }),
    })) as fc.Arbitrary<ScenarioOptions>;
}

function requestOf(peculiarity: Peculiarity): fc.Arbitrary<ScenarioRequest> {
  return fc.record({
    method: fc.constantFrom("GET", "GET", "GET", "HEAD", "POST", "OPTIONS"),
    url: fc.constantFrom(...(URLS[peculiarity] ?? ["/", "/", "/own", "/off", "/not-found"])),
    user: fc.constantFrom("ada", "ada", "ada", "eve", "listed"),
    from: fc.constantFrom(...(ADDRESSES[peculiarity] ?? PLAIN_ADDRESSES)),
    isPreflight: fc.constantFrom(...(peculiarity === "preflight" ? [true, false] : [false])),
    afterMs: fc.constantFrom(0, 0, 0, 1, 10, 400, 999, 1_000, 2_500),
  }) as fc.Arbitrary<ScenarioRequest>;
}
