import { describe, expect, it } from "vitest";
import { typed } from "./commands.ts";

const COMMANDS = [
  ["sim convergence --replicas 4 --hits 8", "tidegate-convergence.svg", "keys"],
  ["sim propagation --replicas 10 --hits 2 --faults 2%", "tidegate-propagation.svg", "fleets"],
  ["sim cost --replicas 3 --rate 20 --keys 10", "tidegate-cost.svg", "fleets"],
] as const;

describe("the other simulations", () => {
  it.each(COMMANDS)("print a table and write a chart: tidegate %s", async (line, file) => {
    const { code, out, files } = await typed(line);
    expect(code).toBe(0);
    const lines = out.split("\n");
    expect(lines.filter((line) => line.length > 80 && !line.startsWith("replay"))).toEqual([]);
    expect(out).toContain(`replay  npx tidegate@0.0.0 ${line} --seed 1`);
    expect([...files.keys()]).toEqual([file]);
    expect(files.get(file)).not.toMatch(/NaN|Infinity|undefined/);
  });

  it.each(COMMANDS)("print JSON: tidegate %s", async (line, _file, rows) => {
    const { out, files } = await typed(`${line} --json --seed 3`);
    const json = JSON.parse(out);
    expect(json.options.seed).toBe(3);
    expect(json[rows].length).toBeGreaterThan(1);
    expect(files.size).toBe(0);
  });

  it("show that a count takes one step here, and many in a tree", async () => {
    const { out } = await typed("sim propagation --hits 5 --replicas 20 --simulate 10 --json");
    const { fleets } = JSON.parse(out);
    expect(fleets.map((row: { replicas: number }) => row.replicas)).toEqual([3, 10, 20]);
    const [, ten] = fleets;
    expect(ten).toMatchObject({ longestPathMs: 275, flatMs: 55, repairedError: 0 });
    expect(ten.simulatedMs).toBeLessThanOrEqual(56);
    expect(ten.treeMs).toBeGreaterThan(110);
    expect(fleets[2].simulatedMs).toBeNull();
    expect(fleets[2].treeError).toBeGreaterThan(0.005);
  });
});
