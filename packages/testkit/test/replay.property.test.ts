/**
 * What a property that fails says, and that it can be replayed by that.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { replayCommand, seededRuns } from "../src/index.ts";

describe("a property that fails", () => {
  const property = fc.property(fc.nat(), (number) => {
    expect(number).toBeLessThan(1_000);
  });
  const failure = (env: Record<string, string>): Error => {
    try {
      fc.assert(property, seededRuns(20, env));
    } catch (error) {
      return error as Error;
    }
    throw new Error("it passes");
  };

  it("says what was expected, and the command that replays the smallest case at once", () => {
    const { name, message } = failure({ TIDEGATE_TEST_SEED: "5" });
    expect(name).toBe("AssertionError");
    expect(message).toMatch(/^expected 1000 to be less than 1000\n/);
    expect(message).toContain("[1000]");
    const command = /TIDEGATE_TEST_SEED=(\S+) npm run test:fast -- (.*)/.exec(message);
    expect(command?.[2]).toBe(
      "--project=property packages/testkit/test/replay.property.test.ts " +
        "-t 'says what was expected, and the command that replays the smallest case at once'",
    );
    const replayed = failure({ TIDEGATE_TEST_SEED: command?.[1] ?? "" });
    expect(replayed.message).toMatch(/^expected 1000 to be less than 1000\n/);
    expect(replayed.message).toMatch(/after 1 case\b/);
  });

  it("is replayed by a command that a shell takes as it is", () => {
    const test = { file: "a/b.property.test.ts", title: "isn't `$1`, (H1)" };
    expect(replayCommand(test, { seed: -1, path: "0:2" })).toBe(
      "TIDEGATE_TEST_SEED=-1:0:2 npm run test:fast -- --project=property a/b.property.test.ts " +
        "-t 'isn.t ..1., .H1.'",
    );
  });
});
