/**
 * Everything of a rate limiter for HTTP that is the same in every web framework.
 *
 * Adapters are made of this: a `Framework` says how to read requests and write headers, `Customs` what
 * the limiter was like that users come from, and `makeGate` turns options into the gate that every
 * request is asked at. Applications use the adapters instead.
 *
 * @packageDocumentation
 */

export { addressAnswer, addressKey, type Ipv6Subnet } from "./http/address-key.ts";
export { isCalledBy } from "./http/call-stack.ts";
export { addressReader } from "./http/client-address.ts";
export {
  compositeKey,
  type Key,
  type KeyAnswer,
  keyOf,
  type ShownKey,
  storedKey,
} from "./http/client-key.ts";
export type { Customs } from "./http/customs.ts";
export { durationText } from "./http/duration-text.ts";
export { DRAFTS, type Draft, type LegacyFields, type LegacyNames } from "./http/fields.ts";
export type {
  Connection,
  Endable,
  Framework,
  HeaderValue,
  LateHeaders,
  ProxyTrust,
  RequestConnection,
  ResponseEvents,
} from "./http/framework.ts";
export type { Gate } from "./http/gate.ts";
export { GATE_OPTIONS, type GateOptions, type NeededBy, type Preset } from "./http/gate-options.ts";
export type { Asked, AskedWithKey, Cost, OnError } from "./http/gate-plan.ts";
export {
  CLUSTER_INSTEAD,
  keyFunction,
  onlyGiven,
  optionsIn,
  pickGateOptions,
  sayUnread,
  sayUnreadSubnet,
  sayUnreadSwitches,
  withKeySecond,
} from "./http/given-options.ts";
export { type IdleOption, idleOptions } from "./http/idle-options.ts";
export { makeGate } from "./http/make-gate.ts";
export { isThenable, type MaybePromise } from "./http/maybe-promise.ts";
export { requestHeader } from "./http/node-request.ts";
export { beforeWriteHead, type WritingHead } from "./http/node-response.ts";
export { withNumbers } from "./http/numeric-text.ts";
export type { KeyedPartition, PartitionKey } from "./http/partition-key.ts";
export { NEVER_PASSES, type RefusedBy } from "./http/problem.ts";
export { limitOf } from "./http/quota.ts";
export { type Outcome, type Passing, PROBLEM_TYPE, type Refusal } from "./http/refusal.ts";
export { showLimiters } from "./http/show-limiters.ts";
export {
  type FurtherNames,
  type GivenNames,
  inGivenNames,
  type Spelled,
  spelled,
} from "./http/spelling.ts";
export type { Counter, Verdict } from "./http/verdict.ts";
export { WallTime } from "./http/wall-time.ts";
export type { WarningCode } from "./http/warning-codes.ts";
export { TidegateWarning, type WarningSwitches, Warnings } from "./http/warnings.ts";
export { invalidOption } from "./options.ts";
export { type EmittedWarning, emitWarning } from "./runtime/emit-warning.ts";
