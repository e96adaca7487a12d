/** Loaded before each file of tests: one that fails leaves its timers mocked, and those behind it would fail as well. */

if (process.env.NODE_TEST_CONTEXT !== undefined) {
  const { afterEach, mock } = require("node:test");
  afterEach(() => mock.timers.reset());
}
