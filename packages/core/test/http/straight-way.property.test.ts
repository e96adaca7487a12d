import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { afterEach, expect, it, vi } from "vitest";
import type { StoreLimiter } from "../../src/limiter/store-limiter.ts";
import { FakeRequest, FakeResponse, Stand } from "./exchange.ts";

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

/** Headers, what is counted, and whether it passes. */
function answers(stand: Stand, requests: readonly Partial<FakeRequest>[]): unknown[] {
  return requests.map((given) => {
    const response = new FakeResponse();
    const { outcome } = stand.enter(Object.assign(new FakeRequest(), given), response);
    return [outcome === null, Array.from(response.headers)];
  });
}

it("requests get the same answers with no question asked as with one that changes nothing", () => {
  fc.assert(
    fc.property(fc.array(request, { minLength: 1, maxLength: 40 }), (some) => {
      // Often enough for whoever comes to be one who comes often.
      const requests = Array.from({ length: 20 }, () => some).flat();
      const clock = { now: () => 1_000 };
      const straight = new Stand({ limit: 60, clock });
      const asking = new Stand({ limit: 60, clock, skip: () => false });
      expect(answers(straight, requests)).toEqual(answers(asking, requests));
      expect(straight.codes).toEqual(asking.codes);
    }),
    seededRuns(60),
  );
});

it("a function in the place of the limiter's own is asked about every request", () => {
  const { gate } = new Stand({ limit: 1_000 });
  const enter = (): unknown => gate.enter(new FakeRequest(), new FakeResponse());
  for (let request = 0; request < 100; request++) enter();
  const check = vi.spyOn(gate.limiter!, "check");
  for (let request = 0; request < 100; request++) enter();
  expect(check).toHaveBeenCalledTimes(100);
});

it("nobody is remembered by a limiter that is closed, whoever closes it", () => {
  const { gate } = new Stand({ limit: 1_000 });
  const enter = (): unknown => gate.enter(new FakeRequest(), new FakeResponse());
  for (let request = 0; request < 100; request++) enter();
  const { regulars } = gate.limiter as StoreLimiter;
  expect(regulars.find("192.0.2.1")?.key).toBe("192.0.2.1");
  gate.limiter!.close();
  for (let request = 0; request < 100; request++) enter();
  expect(regulars.find("192.0.2.1")).toBeUndefined();
});
