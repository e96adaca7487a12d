import { describe, expect, it } from "vitest";
import { GOLDEN_EXAMPLES } from "../src/index.ts";
import { oracleFor } from "./oracle-for.ts";

describe("the golden examples", () => {
  for (const { name, policy, steps } of GOLDEN_EXAMPLES) {
    it(name, () => {
      const oracle = oracleFor(policy);
      for (const { atMs, op, cost, expect: expected, note } of steps) {
        expect(oracle[op](atMs, cost), `at ${atMs} ms, ${op} ${cost}: ${note}`).toMatchObject(
          expected,
        );
      }
    });
  }

  it("have names of their own", () => {
    const names = GOLDEN_EXAMPLES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it("fix what each step answers, in order of time", () => {
    for (const { name, steps } of GOLDEN_EXAMPLES) {
      const times = steps.map(({ atMs }) => atMs);
      expect(times, name).toEqual(times.toSorted((a, b) => a - b));
      for (const step of steps) expect(Object.keys(step.expect), name).not.toEqual([]);
    }
  });
});
