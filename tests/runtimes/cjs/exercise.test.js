"use strict";

/* A test for Jest with CommonJS. */

const exercise = require("./exercise.js");
const required = require("./by-require.js");

test("the packages work, and warn as text", async () => {
  await exercise({ imported: required, required });
});

test("windows follow a mocked date", () => {
  exercise.followsTheDate(required, (ms) => jest.useFakeTimers().setSystemTime(ms));
  jest.useRealTimers();
});

test("what was made before resetModules is taken afterwards", async () => {
  jest.resetModules();
  await exercise.takesFromEachOther(required, require("./by-require.js"));
});
