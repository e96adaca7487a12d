import { describe, expect, it } from "vitest";
import { typed } from "./commands.ts";

describe("the command line", () => {
  it("lists its commands, and explains each", async () => {
    for (const line of ["", "--help", "-h"]) {
      const { code, out } = await typed(line);
      expect([code, out]).toEqual([0, expect.stringContaining("tidegate sim")]);
    }
    const { code, out } = await typed("sim --help");
    expect(code).toBe(0);
    expect(out).toContain("--replicas N");
    expect(out).toContain("[50ms]");
    expect(Math.max(...out.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  const mistakes: [string, string][] = [
    ["sin", "there is no command 'sin': did you mean 'tidegate sim'?"],
    ["--replicas 3", "'--replicas' needs a command before it: 'tidegate --help' lists them"],
    ["sim --replica 3", "'--replica' is not a flag of this command. Did you mean --replicas?"],
    ["sim --frobnicate=2", "'--frobnicate' is not a flag of this command; --help lists the flags"],
    ["sim 20", "there is no command 'sim 20'"],
    ["sim --replicas", "--replicas needs a value: --replicas N"],
    ["sim --replicas --json", "--replicas needs a value: --replicas N"],
    ["sim --replicas 1e3", "--replicas must be a whole number such as 1, got '1e3'"],
    ["sim --replicas 501", "--replicas must be at most 500, got 501"],
    ["sim --replicas 0", "--replicas must be at least 1, got 0"],
    ["sim --window 1", "--window must be a duration such as 50ms, 1s or 2m, got '1'"],
    ["sim --window 1ms", "--window must be at least 10ms, got 1ms"],
    ["sim --flush 2h", "--flush must be at most 1m, got 2h"],
    ["sim --loss 101%", "--loss must be a part such as 1% or 0.01, up to 100%, got '101%'"],
    ["sim --rate 0", "--rate must be a number above 0 and up to 10000000, got '0'"],
    [
      "sim --policy slidng",
      "--policy must be one of fixed, aligned, sliding, log, token, leaky, got 'slidng'. Did you mean 'sliding'?",
    ],
    ["sim propagation --faults 60%", "--faults must be at most 50%, got 60%"],
    [
      "sim propagtion",
      "there is no command 'sim propagtion': did you mean 'tidegate sim propagation'?",
    ],
    ["sim --json=yes", "--json takes no value"],
    ["sim --rate 10 --load 2", "--rate and --load say the same: give one of them"],
    ["sim --limit 1000000 --load 5", "simulate a smaller --limit at the same --load"],
  ];
  it.each(mistakes)("says what is wrong with: tidegate %s", async (line, sentence) => {
    const { code, out, err, files } = await typed(line);
    expect([code, out, files.size]).toEqual([2, "", 0]);
    expect(err).toContain(sentence);
    expect(err.trim().split("\n")).toHaveLength(1);
  });
});
