import { describe, expect, it } from "vitest";
import type { LimiterName } from "../src/http/site.ts";
import type { RequestCostRecord } from "../src/scenarios/http/request-cost.ts";
import { httpTables } from "../src/suites/http-tables.ts";
import { httpTargets } from "../src/suites/http-targets.ts";

function cost(limiter: LimiterName, addedNs: number, sendsHeaders = true): RequestCostRecord {
  const shape = {
    kind: "requestCost",
    framework: "Koa",
    family: 4,
    clients: 1,
    requests: 1,
  } as const;
  const times = { bareNs: 900, passingNs: 100, addedNs, addedNsLow: addedNs / 2 };
  return { ...shape, rounds: 31, limiter, sendsHeaders, ...times };
}

function statusOf(claim: string, ...records: RequestCostRecord[]): string {
  const targets = httpTargets(records.map((record) => ({ heading: "", record })));
  return targets.find((target) => target.claim.startsWith(claim))!.status;
}

describe("a claim about what a limiter adds to a request", () => {
  it("is not measured where one of the two limiters was not", () => {
    expect(new Set(httpTargets([]).map(({ status }) => status))).toEqual(new Set(["not measured"]));
    expect(statusOf("Koa, with headers: adds at most 0.8", cost("tidegate", 1))).toBe(
      "not measured",
    );
  });

  it("holds what is added against the peer of the same framework, with the same headers", () => {
    const claim = "Koa, with headers: adds at most 0.8 × what koa-ratelimit";
    const silent = [cost("tidegate", 1, false), cost("peer", 1_000, false)];
    expect(statusOf(claim, ...silent, cost("peer", 100), cost("tidegate", 80))).toBe("ok");
    expect(statusOf(claim, ...silent, cost("peer", 100), cost("tidegate", 81))).toBe("missed");
    expect(statusOf("Koa, without headers: adds at most 0.5", ...silent)).toBe("ok");
    expect(statusOf("Fastify, without headers", ...silent)).toBe("not measured");
  });

  it("holds it against a limiter by hand as well", () => {
    const claim = "Koa, with headers: adds at most 1.3 × what a limiter by hand";
    expect(statusOf(claim, cost("by hand", 100), cost("tidegate", 130))).toBe("ok");
    expect(statusOf(claim, cost("by hand", 100), cost("tidegate", 131))).toBe("missed");
  });
});

describe("the table of what limiters add", () => {
  it("compares each with tidegate, without and with the call that all need", () => {
    const table = httpTables([cost("tidegate", 100), cost("peer", 300)]).join("\n");
    expect(table).toContain("a request without a limiter 900 ns; passing it on 100 ns");
    expect(table).toMatch(/koa-ratelimit +with headers +300 +0\.33 +150 +0\.33 +0\.50/);
  });
});
