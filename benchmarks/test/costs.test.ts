import { describe, expect, it } from "vitest";
import { costsOf } from "../src/against/costs.ts";
import type { RequestCostRecord } from "../src/scenarios/http/request-cost.ts";

function added(limiter: RequestCostRecord["limiter"], family: 4 | 6): RequestCostRecord {
  const shape = { kind: "requestCost", framework: "Koa", clients: 1, requests: 1 } as const;
  const times = { rounds: 1, bareNs: 900, passingNs: 100, addedNs: 250, addedNsLow: 200 };
  return { ...shape, ...times, limiter, family, sendsHeaders: false };
}

describe("the costs of a record", () => {
  it("are of tidegate, and named apart where the traffic differs", () => {
    expect(costsOf(added("peer", 4))).toEqual([]);
    expect([4, 6].map((family) => costsOf(added("tidegate", family as 4 | 6))[0])).toEqual([
      { what: "added under Koa, IPv4, without headers", unit: "ns", value: 250 },
      { what: "added under Koa, IPv6, without headers", unit: "ns", value: 250 },
    ]);
  });

  it("become less when a rate becomes more", () => {
    const rates = { perSecond: 2e6, perSecondNews: 1e6, perSecondNewKeys: 5e5 };
    const costs = costsOf({ kind: "merging", keys: 1_000, ...rates, bytesPerComponent: 10 });
    expect(costs.map(({ value, unit }) => `${value} ${unit}`)).toEqual([
      ...["500 ns", "1000 ns", "2000 ns"],
    ]);
  });

  it("of a process that had to be killed are none that can be compared", () => {
    const [cost] = costsOf({ kind: "leaving", endedAfterMs: null });
    expect(cost!.value).toBeNaN();
  });
});
