/**
 * What the tests of this repository share, and no user ever installs.
 *
 * The oracles are exact references for the policies on one process: `…Oracle(options)` keeps every
 * hit and recomputes everything at each call. `GOLDEN_EXAMPLES` are worked by hand, for oracles and
 * limiters alike. `seededRuns` and `seededRandom` make a failing run repeatable.
 */

export { GOLDEN_EXAMPLES } from "./golden/examples.ts";
export type { GoldenExample, GoldenPolicy, GoldenStep } from "./golden/golden-example.ts";
export { bucketOracle } from "./oracles/bucket.ts";
export { calendarOracle } from "./oracles/calendar.ts";
export { type ConcurrencyOracle, concurrencyOracle } from "./oracles/concurrency.ts";
export { fixedWindowOracle } from "./oracles/fixed-window.ts";
export type { Oracle, OracleVerdict } from "./oracles/oracle.ts";
export { slidingLogOracle } from "./oracles/sliding-log.ts";
export { slidingWindowOracle } from "./oracles/sliding-window.ts";
export { seededRandom } from "./seeded-random.ts";
export { type SeededRuns, seededRuns } from "./seeded-runs.ts";
