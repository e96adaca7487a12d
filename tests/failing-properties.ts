/**
 * What a property that fails says: the assertion that failed, the smallest case, and the command that
 * replays it.
 *
 * The assertion itself is thrown, so that the difference between what was expected and what was found is
 * shown as for any other test.
 */

import { relative } from "node:path";
import { fileURLToPath } from "node:url";

import fc, { type RunDetails } from "fast-check";
import { expect } from "vitest";
import { replayCommand } from "../packages/testkit/src/seeded-runs.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

fc.configureGlobal({ reporter: throwFailure });

function throwFailure(run: RunDetails<unknown>): void {
  if (!run.failed) return;
  const { currentTestName = "", testPath = "" } = expect.getState();
  const test = {
    file: relative(ROOT, testPath).replaceAll("\\", "/"),
    title: currentTestName.split(" > ").at(-1) ?? "",
  };
  const command = replayCommand(test, { seed: run.seed, path: run.counterexamplePath });
  const cases = run.numRuns === 1 ? "1 case" : `${run.numRuns} cases`;
  const found = `failed after ${cases}, smallest after ${run.numShrinks} steps:`;
  const report = `${found}\n  ${fc.stringify(run.counterexample)}\nreplay: ${command}`;
  const error = errorOf(run);
  error.message = `${error.message}\n\n${report}`;
  throw error;
}

function errorOf({ errorInstance, counterexample }: RunDetails<unknown>): Error {
  if (errorInstance instanceof Error) return errorInstance;
  if (counterexample === null) return new Error("too many cases did not meet the conditions");
  return new Error(`the property threw ${String(errorInstance)}`);
}
