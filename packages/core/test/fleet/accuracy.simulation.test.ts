import { readFileSync } from "node:fs";
import process from "node:process";
import { seededRuns } from "@tidegate/testkit";
import { describe, expect, it } from "vitest";
import { accuracyTables, farScenario, lawful } from "./accuracy.ts";
import { runScenario } from "./scenario.ts";

const PAGE = new URL("../../../../docs/internals/accuracy.md", import.meta.url);
const SECOND_LONG = { limit: 1_000, windowMs: 1_000 };
const MINUTE_LONG = { limit: 100, windowMs: 60_000 };
const isShown = process.env["TIDEGATE_ACCURACY"] !== undefined;
const isFull = isShown || seededRuns(1).numRuns >= 10;

describe("a fleet with 30 ms of lag and clocks that are off by up to 10 ms", () => {
  for (const { replicas, load } of [
    { replicas: 3, load: 3 },
    { replicas: 10, load: 3 },
    { replicas: 10, load: 5 },
  ]) {
    it(`admits to ${replicas} replicas what the law says, at ${load} times the limit`, () => {
      for (const name of ["fixedWindow", "fixedWindow, aligned"] as const) {
        const rest = { replicas, load, windows: 15 };
        const scenario = farScenario(name, SECOND_LONG, rest);
        const { mean } = runScenario(scenario);
        expect(mean, name).toBeLessThan(lawful(scenario) + 0.01);
        expect(mean, name).toBeGreaterThan(lawful(scenario) - 0.03);
      }
    });
  }

  it("stays below the law by every policy that does not begin anew with each window", () => {
    for (const name of ["slidingWindow", "tokenBucket"] as const) {
      const scenario = farScenario(name, SECOND_LONG, { replicas: 3, load: 3, windows: 10 });
      const { mean } = runScenario(scenario);
      expect(mean, name).toBeLessThan(lawful(scenario));
    }
  });
});

describe("a replica that evicts a busy key every five seconds", () => {
  for (const replicas of [3, 10]) {
    it(`allows no more extra hits than it is offered itself, as one of ${replicas}`, () => {
      const rest = { replicas, load: 3, windows: 10, delayMs: 0, clockErrorMs: 0, forgetful: 0 };
      for (const name of ["fixedWindow", "fixedWindow, aligned", "slidingWindow"] as const) {
        const scenario = farScenario(name, MINUTE_LONG, rest);
        const { mean, hotEvictions } = runScenario(scenario);
        expect(hotEvictions, name).toBeGreaterThan(80);
        expect(mean, name).toBeLessThan(1 + scenario.load / replicas);
      }
    });
  }

  it("allows at most one extra limit per eviction", () => {
    const rest = { replicas: 3, load: 20, windows: 5, delayMs: 0, clockErrorMs: 0, forgetful: 0 };
    for (const name of ["fixedWindow", "slidingWindow"] as const) {
      const scenario = farScenario(name, MINUTE_LONG, rest);
      const { admissions, hotEvictions } = runScenario(scenario);
      expect(hotEvictions).toBeGreaterThan(12 * rest.windows);
      expect(admissions.mostWithin(MINUTE_LONG.windowMs), name).toBeLessThanOrEqual(13 * 100);
    }
  });
});

if (isFull) {
  describe("the page about accuracy", () => {
    it("shows the figures that fleets come to", () => {
      const tables = accuracyTables();
      if (isShown) process.stdout.write(`\n${tables}\n`);
      const page = readFileSync(PAGE, "utf8");
      for (const table of tables.split("\n\n")) expect(page).toContain(table);
    }, 600_000);
  });
}
