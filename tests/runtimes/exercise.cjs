"use strict";

const assert = require("node:assert/strict");

/** Uses the packed package as a program would; throws where it does not behave. */
module.exports = function exercise(core, testing) {
  const clock = testing.manualClock(0);
  const limiter = core.createLimiter({
    name: "smoke",
    policy: core.fixedWindow({ limit: 2, windowMs: core.SECOND }),
    clock,
  });
  const answers = [1, 2, 3].map(() => limiter.check("somebody").allowed);
  assert.deepEqual(answers, [true, true, false]);
  assert.equal(limiter.peek("somebody else").remaining, 2);
  clock.advance(core.SECOND);
  assert.equal(limiter.check("somebody").allowed, true);
  assert.throws(() => core.fixedWindow({ limit: -1, windowMs: core.SECOND }), {
    name: "TidegateError",
    code: "TIDEGATE_OPTION_INVALID",
  });
  limiter.close();
};
