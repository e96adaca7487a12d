/**
 * What the tests of this repository share, and no user ever installs.
 *
 * The oracles are exact references for the policies on one process: `…Oracle(options)` keeps every
 * hit and recomputes everything at each call. `GOLDEN_EXAMPLES` are worked by hand, for oracles and
 * limiters alike. `ReferenceStore` is what one replica of a cluster has to know, without any of the
 * means by which the store knows it fast. `seededRuns` and `seededRandom` make a failing run repeatable.
 * `NatsServer` is a real one, for integration tests.
 */

export { GOLDEN_EXAMPLES } from "./golden/examples.ts";
export type { GoldenExample, GoldenPolicy, GoldenStep } from "./golden/golden-example.ts";
export { NatsServer, type NatsServerOptions, startNatsCluster } from "./nats/nats-server.ts";
export { bucketOracle } from "./oracles/bucket.ts";
export { calendarOracle } from "./oracles/calendar.ts";
export { type ConcurrencyOracle, concurrencyOracle } from "./oracles/concurrency.ts";
export { fixedWindowOracle } from "./oracles/fixed-window.ts";
export type { Oracle, OracleVerdict } from "./oracles/oracle.ts";
export { slidingLogOracle } from "./oracles/sliding-log.ts";
export { slidingWindowOracle } from "./oracles/sliding-window.ts";
export type { ReferenceView } from "./reference/book.ts";
export type { BucketBook, ReferenceCheckpoint } from "./reference/bucket-book.ts";
export type { ReferenceComponent } from "./reference/ledger.ts";
export type { ReferenceMark } from "./reference/reference-marks.ts";
export { type Receipt, type ReferencePolicy, ReferenceStore } from "./reference/reference-store.ts";
export { calendarCut, evenCut, slidingCut } from "./reference/slot-book.ts";
export { seededRandom } from "./seeded-random.ts";
export { type SeededRuns, seededRuns } from "./seeded-runs.ts";
