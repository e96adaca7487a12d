import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { parseDictionary, parseItem, parseList } from "structured-headers";
import { describe, expect, it } from "vitest";
import {
  concurrency,
  fixedWindow,
  leakyBucket,
  type Policy,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "../../../src/index.ts";
import { manualClock } from "../../../src/testing.ts";
import { FakeRequest, FakeResponse, Stand } from "../exchange.ts";

const printable = fc.stringMatching(/^[\x20-\x7e]{1,20}$/);
const limit = fc.nat(9);
const windowMs = fc.integer({ min: 1, max: 100_000 });
const perSecond = fc.double({ min: 0.01, max: 100, noNaN: true });

const policy: fc.Arbitrary<(name: string) => Policy> = fc.oneof(
  fc.tuple(limit, windowMs).map(
    ([limit, windowMs]) =>
      (name: string) =>
        fixedWindow({ name, limit, windowMs }),
  ),
  fc.tuple(limit, windowMs).map(
    ([limit, windowMs]) =>
      (name: string) =>
        slidingWindow({ name, limit, windowMs }),
  ),
  fc.tuple(limit, windowMs).map(
    ([limit, windowMs]) =>
      (name: string) =>
        slidingLog({ name, limit, windowMs }),
  ),
  fc.tuple(limit, perSecond).map(
    ([capacity, refillPerSecond]) =>
      (name: string) =>
        tokenBucket({ name, capacity, refillPerSecond }),
  ),
  fc.tuple(limit, perSecond).map(
    ([capacity, leakPerSecond]) =>
      (name: string) =>
        leakyBucket({ name, capacity, leakPerSecond }),
  ),
  limit.map((limit) => (name: string) => concurrency({ name, limit })),
);

const stack = fc.array(
  fc.record({
    policies: fc.uniqueArray(fc.tuple(printable, policy), {
      minLength: 1,
      maxLength: 4,
      selector: ([name]) => name,
    }),
    standardHeaders: fc.constantFrom("draft-6", "draft-7", "draft-8", "draft-11"),
    partition: fc.uint8Array({ maxLength: 12 }),
    legacyHeaders: fc.boolean(),
  }),
  { minLength: 1, maxLength: 3 },
);

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

/** Thousands of fields are looked at, of which `expect` would count each. */
function expectCount(value: unknown, what?: string): void {
  if (!isCount(value)) expect(value, what).toSatisfy(isCount);
}

/** Checks every field of a response by an independent parser. */
function checkFields(response: FakeResponse): void {
  for (const [name, value] of response.headers) {
    if (/^ratelimit-(limit|remaining|reset)$|^x-/.test(name)) {
      expectCount(parseItem(value)[0], name);
    }
  }
  const policies = response.get("ratelimit-policy");
  const limits = response.get("ratelimit");
  if (policies !== undefined) {
    const list = parseList(policies);
    expect(list.length).toBeGreaterThan(0);
    for (const [item, parameters] of list) {
      if (typeof item === "string") expectCount(parameters.get("q"));
      else {
        expectCount(item);
        expectCount(parameters.get("w"));
      }
      if (parameters.has("w")) expect(parameters.get("w")).toBeGreaterThan(0);
    }
    const names = list.map(([item]) => item);
    expect(new Set(names).size).toBe(names.length);
  }
  if (limits === undefined) return;
  if (limits.startsWith("limit=")) {
    const entries = parseDictionary(limits);
    for (const key of ["limit", "remaining", "reset"]) {
      expectCount(entries.get(key)?.[0], key);
    }
    return;
  }
  const named = new Map(parseList(policies ?? "").map(([item, parameters]) => [item, parameters]));
  for (const [item, parameters] of parseList(limits)) {
    expectCount(parameters.get("r"));
    if (parameters.has("t")) expectCount(parameters.get("t"));
    expect([...named.keys()]).toContain(item);
  }
}

describe("fields", () => {
  it("parse, whatever the policies, names, partitions and stacks are (H1, H3, H5, H9)", () => {
    fc.assert(
      fc.property(stack, fc.array(fc.nat(5_000), { maxLength: 12 }), (limiters, pauses) => {
        const clock = manualClock();
        const stands = limiters.map(
          ({ policies, standardHeaders, partition, legacyHeaders }) =>
            new Stand({
              policies: policies.map(([name, make]) => make(name)),
              ...{ standardHeaders: standardHeaders as "draft-6", legacyHeaders, clock },
              ...(["draft-8", "draft-11"].includes(standardHeaders as string) && {
                partitionKey: () => partition,
              }),
            }),
        );
        for (const pause of pauses) {
          const response = new FakeResponse();
          for (const stand of stands) {
            const { outcome } = stand.enter(new FakeRequest(), response);
            if (outcome === null) continue;
            expect(response.get("retry-after")).toMatch(/^[1-9]\d*$/);
            break;
          }
          checkFields(response);
          clock.advance(pause);
        }
      }),
      seededRuns(300),
    );
  });

  it("of a bucket never suggest more than its rate (H24)", () => {
    const bucket = fc.tuple(fc.integer({ min: 1, max: 50 }), perSecond, fc.nat(3));
    fc.assert(
      fc.property(
        bucket,
        fc.array(fc.nat(3_000), { maxLength: 30 }),
        ([capacity, rate, cost], pauses) => {
          const clock = manualClock();
          const policies = [tokenBucket({ capacity, refillPerSecond: rate })];
          const stand = new Stand({ policies, clock, cost, standardHeaders: "draft-11" });
          for (const pause of pauses) {
            const { response } = stand.enter();
            const [, told] = parseList(response.get("ratelimit") ?? "")[0]!;
            const [, policy] = parseList(response.get("ratelimit-policy") ?? "")[0]!;
            const [r, t] = [Number(told.get("r")), Number(told.get("t"))];
            const [q, w] = [Number(policy.get("q")), Number(policy.get("w"))];
            expect(r * w).toBeLessThanOrEqual(q * t);
            clock.advance(pause);
          }
        },
      ),
      seededRuns(300),
    );
  });

  it("send waits after which the same request passes, and less than a second more (H17, H18)", () => {
    fc.assert(
      fc.property(policy, fc.nat(2_000), (make, pause) => {
        const clock = manualClock();
        const made = make("p");
        if (made.limit === 0 || made.kind === "concurrency") return;
        const stand = new Stand({ policies: [made], clock });
        for (let index = 0; index < 12; index++) {
          const { outcome } = stand.enter();
          if (outcome === null) {
            clock.advance(index === 3 ? pause : 0);
            continue;
          }
          const trueMs = outcome.verdict?.retryAfterMs ?? 0;
          const told = outcome.retryAfterSeconds * 1_000;
          expect(told).toBeGreaterThanOrEqual(trueMs);
          expect(told - trueMs).toBeLessThan(1_000);
          clock.advance(told);
          expect(stand.enter().outcome).toBeNull();
          return;
        }
      }),
      seededRuns(500),
    );
  });
});
