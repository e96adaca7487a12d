/**
 * Rate limits that are decided synchronously, in this process, from memory.
 *
 * Begin with `createLimiter` and one of the policies. Adapters for web frameworks build on this
 * package; it knows nothing of HTTP.
 *
 * @packageDocumentation
 */

export type { EventKind, EventSeverity } from "./base/cluster-events.ts";
export { Decision, type PolicyResult, type RefusalReason } from "./base/decision.ts";
export { TidegateError, type TidegateErrorCode } from "./base/errors.ts";
export { DAY, HOUR, MINUTE, SECOND } from "./base/options.ts";
export {
  type Cluster,
  type ClusterOptions,
  type ClusterStatus,
  joinCluster,
  type OtherReplica,
} from "./cluster/cluster.ts";
export type { MarkKind } from "./crdt/mark.ts";
export type { CallOptions, ReleaseOptions } from "./limiter/call.ts";
export {
  createLimiter,
  type Inspection,
  type Limiter,
  type LimiterStatus,
} from "./limiter/limiter.ts";
export type { LimiterOptions } from "./limiter/limiter-options.ts";
export {
  type LeakyBucketOptions,
  type LeakyBucketPolicy,
  leakyBucket,
  type TokenBucketOptions,
  type TokenBucketPolicy,
  tokenBucket,
} from "./policies/bucket.ts";
export {
  type ConcurrencyOptions,
  type ConcurrencyPolicy,
  concurrency,
} from "./policies/concurrency.ts";
export {
  type FixedWindowOptions,
  type FixedWindowPolicy,
  fixedWindow,
} from "./policies/fixed-window.ts";
export type { CommonPolicyOptions, Policy } from "./policies/policy.ts";
export {
  type SlidingLogOptions,
  type SlidingLogPolicy,
  slidingLog,
} from "./policies/sliding-log.ts";
export {
  type SlidingWindowOptions,
  type SlidingWindowPolicy,
  slidingWindow,
} from "./policies/sliding-window.ts";
export type { SeparatedMode } from "./protocol/replica.ts";
export {
  CHANNELS,
  type ClusterEvent,
  type DecisionEvent,
  type PressureEvent,
} from "./runtime/diagnostics.ts";
export type { CalendarOptions, CalendarUnit, Weekday } from "./time/calendar.ts";
export type { Clock } from "./time/clock.ts";
export type { Transport, TransportContext } from "./transport/transport.ts";
