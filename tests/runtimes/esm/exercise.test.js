/* A test for Vitest, for Jest with ES modules, and for Node's own test runner. */

import { createRequire } from "node:module";
import * as imported from "./by-import.js";

const required = createRequire(import.meta.url)("../cjs/by-require.js");
const exercise = createRequire(import.meta.url)("../cjs/exercise.js");
const { test, setDate, restore } = await runner();

test("import and require reach one copy that works", async () => {
  await exercise({ imported, required });
});

test("windows follow a mocked date", () => {
  exercise.followsTheDate(imported, setDate);
  restore();
});

async function runner() {
  const { vi, test } = globalThis;
  const { jest } = import.meta;
  if (vi !== undefined) return { test, setDate: vi.setSystemTime, restore: vi.useRealTimers };
  if (jest !== undefined) return { test, setDate: jestDate(jest), restore: jest.useRealTimers };
  const { mock, test: ownTest } = await import("node:test");
  const setDate = (now) => {
    mock.timers.reset();
    mock.timers.enable({ apis: ["Date"], now });
  };
  return { test: ownTest, setDate, restore: () => mock.timers.reset() };
}

function jestDate(jest) {
  return (ms) => jest.useFakeTimers().setSystemTime(ms);
}
