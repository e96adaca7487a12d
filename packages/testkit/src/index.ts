/**
 * What the tests of this repository share, and no user ever installs.
 *
 * The oracles are exact references for the policies on one process: `…Oracle(options)` keeps every
 * hit and recomputes everything at each call. `seededRuns` and `seededRandom` make a failing run
 * repeatable.
 */

export { bucketOracle } from "./oracles/bucket.ts";
export { calendarOracle } from "./oracles/calendar.ts";
export { type ConcurrencyOracle, concurrencyOracle } from "./oracles/concurrency.ts";
export { fixedWindowOracle } from "./oracles/fixed-window.ts";
export type { Oracle, OracleVerdict } from "./oracles/oracle.ts";
export { slidingLogOracle } from "./oracles/sliding-log.ts";
export { slidingWindowOracle } from "./oracles/sliding-window.ts";
export { seededRandom } from "./seeded-random.ts";
export { type SeededRuns, seededRuns } from "./seeded-runs.ts";
