import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { afterEach, expect, it, vi } from "vitest";
import { DRAFTS } from "../../../src/http.ts";
import {
  concurrency,
  fixedWindow,
  MINUTE,
  slidingWindow,
  tokenBucket,
} from "../../../src/index.ts";
import { type FakeOptions, FakeRequest, FakeResponse, Stand } from "../exchange.ts";

afterEach(() => {
  Stand.closeAll();
});

/** Addresses in several spellings, some of one client, and some that are none. */
const TEXTS = [
  ...["192.0.2.1", "::ffff:192.0.2.1", "192.0.2.1:443", "192.0.2.2", "64:ff9b::c000:202"],
  ...["2001:db8::1", "2001:DB8:0:0::2", "[2001:db8::3]:80", "2001:db8:1::1", "fe80::1%eth0"],
  ...[
    "",
    "unknown",
    "192.0.2.256",
    "1.2.3",
    "192.0.2.1 ",
    "::1::",
    "２.0.2.1",
    `${"9".repeat(80)}`,
  ],
];

const request = fc.record({
  address: fc.constantFrom(...TEXTS, undefined),
  socketAddress: fc.constantFrom("192.0.2.9", "2001:db8:9::1", undefined),
  method: fc.constantFrom("GET", "OPTIONS"),
  connection: fc.constantFrom(null, {}, { destroyed: true }),
});

/** How a response ends: answered by the handler, or its client hangs up. */
const end = fc.constantFrom("200", "302", "500", "hang-up");

const policies = fc.constantFrom(
  undefined,
  [slidingWindow({ limit: 40, windowMs: MINUTE })],
  [tokenBucket({ capacity: 30, refillPerSecond: 1 }), fixedWindow({ limit: 60, windowMs: MINUTE })],
  [concurrency({ limit: 3 }), fixedWindow({ limit: 60, windowMs: MINUTE })],
);

/** Options under which no function of the user's decides before the response is sent. */
const options = fc.record<FakeOptions>(
  {
    policies,
    preset: fc.constantFrom("parity", "api"),
    cost: fc.constantFrom(1, 2, 70),
    legacyHeaders: fc.boolean(),
    standardHeaders: fc.constantFrom(true, ...DRAFTS),
    exposeHeaders: fc.boolean(),
    omitHeaders: fc.constantFrom(["redirects"], ["cacheable"]),
    retryAfter: fc.constantFrom(7),
    skipFailedRequests: fc.boolean(),
    skipSuccessfulRequests: fc.boolean(),
    countPreflights: fc.boolean(),
    dryRun: fc.boolean(),
    ipv6Subnet: fc.constantFrom<false | 64>(false, 64),
    onPermissiveProxy: fc.constantFrom("socket"),
  },
  { requiredKeys: [] },
);

/** Whether each request passes, its headers as they are sent, and what the response's end has left counted. */
function answers(stand: Stand, requests: readonly (readonly [Partial<FakeRequest>, string])[]) {
  return requests.map(([given, ends]) => {
    const response = new FakeResponse();
    const request = Object.assign(new FakeRequest(), given);
    const { outcome } = stand.enter(request, response);
    const shown = outcome === null ? null : { ...outcome, verdict: null };
    if (ends === "hang-up") response.breakOff();
    else response.finish(Number(ends));
    const counted = stand.gate.limiter?.inspect("192.0.2.1").results.map(({ used }) => used);
    return [shown, Array.from(response.headers), counted];
  });
}

it("the fast path gives the answers, headers and counts of the whole flow", () => {
  fc.assert(
    fc.property(
      options,
      fc.array(fc.tuple(request, end), { minLength: 1, maxLength: 40 }),
      (given, some) => {
        const requests = [...some, ...some];
        const common = { ...(given.policies === undefined && { limit: 60 }), ...given };
        const clock = { now: () => 1_000 };
        const fast = new Stand({ ...common, clock });
        // A question that changes nothing.
        const whole = new Stand({ ...common, clock, skip: () => false });
        expect(answers(fast, requests)).toEqual(answers(whole, requests));
        expect(fast.codes).toEqual(whole.codes);
      },
    ),
    seededRuns(60),
  );
});

it("a function that replaces the limiter's own is called for every request", () => {
  const { gate } = new Stand({ limit: 1_000 });
  const enter = (): unknown => gate.enter(new FakeRequest(), new FakeResponse());
  for (let request = 0; request < 100; request++) enter();
  const check = vi.spyOn(gate.limiter!, "check");
  for (let request = 0; request < 100; request++) enter();
  expect(check).toHaveBeenCalledTimes(100);
});
