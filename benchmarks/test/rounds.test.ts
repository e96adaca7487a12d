import { describe, expect, it } from "vitest";
import { type Lane, timeRounds } from "../src/measure/rounds.ts";

/** A lane that writes down what it is told and answers with the number of the step. */
function lane(title: string, steps: string[], distinctKeys = 1): Lane {
  return {
    title,
    prepare: async () => {
      steps.push(`prepare ${title}`);
      await Promise.resolve();
      return distinctKeys;
    },
    time: async () => {
      steps.push(`${title} begins`);
      await Promise.resolve();
      return steps.push(`${title} ends`);
    },
  };
}

function recordedLanes(): { lanes: Lane[]; steps: string[]; pause: () => Promise<void> } {
  const steps: string[] = [];
  const pause = async (): Promise<void> => {
    steps.push("pause");
    await Promise.resolve();
  };
  return { lanes: ["A", "B", "C"].map((title) => lane(title, steps)), steps, pause };
}

describe("timeRounds", () => {
  it("begins with another lane after two rounds, the second of which is the first in reverse", async () => {
    const { lanes, steps, pause } = recordedLanes();
    await timeRounds(lanes, 6, pause);
    const turns = steps.filter((step) => step.endsWith("begins")).map((step) => step[0]);
    expect(turns.join("")).toBe("ABC" + "CBA" + "BCA" + "ACB" + "CAB" + "BAC");
  });

  it("lets all prepare, pauses, and then runs one lane at a time", async () => {
    const { lanes, steps, pause } = recordedLanes();
    await timeRounds(lanes, 1, pause);
    expect(steps).toEqual([
      ...["prepare A", "prepare B", "prepare C", "pause"],
      ...["A begins", "A ends", "B begins", "B ends", "C begins", "C ends"],
    ]);
  });

  it("gives the times by lane, whatever their order was", async () => {
    const { lanes, pause } = recordedLanes();
    const { samples, distinctKeys } = await timeRounds(lanes, 2, pause);
    expect(samples).toEqual([
      [6, 20],
      [8, 18],
      [10, 16],
    ]);
    expect(distinctKeys).toBe(1);
  });

  it("fails when a lane runs over other keys than the rest", async () => {
    const { lanes, steps, pause } = recordedLanes();
    const timed = timeRounds([...lanes, lane("D", steps, 2)], 1, pause);
    await expect(timed).rejects.toThrow("D does not run over the same keys");
  });
});
