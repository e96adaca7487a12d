/**
 * Everything of a rate limiter for HTTP that is the same in every web framework.
 *
 * Adapters are made of this: a `Framework` says how to read requests and write headers, `Customs` what
 * the limiter was like that users come from, and `makeGate` turns options into the gate that every
 * request is asked at. Applications use the adapters instead.
 *
 * @packageDocumentation
 */

export { addressAnswer, addressKey, type Ipv6Subnet } from "./http/client/address-key.ts";
export { addressReader } from "./http/client/client-address.ts";
export {
  compositeKey,
  type Key,
  type KeyAnswer,
  keyOf,
  type ShownKey,
  storedKey,
} from "./http/client/client-key.ts";
export type { Gate } from "./http/flow/gate.ts";
export type { Asked, AskedWithKey, Cost, OnError } from "./http/flow/gate-plan.ts";
export { NEVER_PASSES, type RefusedBy } from "./http/flow/problem.ts";
export { type Outcome, type Passing, PROBLEM_TYPE, type Refusal } from "./http/flow/refusal.ts";
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
export { DRAFTS, type Draft, type LegacyFields, type LegacyNames } from "./http/headers/fields.ts";
export type { KeyedPartition, PartitionKey } from "./http/headers/partition-key.ts";
export { limitOf } from "./http/headers/quota.ts";
export { WallTime } from "./http/headers/wall-time.ts";
export { isThenable, type MaybePromise } from "./http/maybe-promise.ts";
export { requestHeader } from "./http/node/node-request.ts";
export { beforeWriteHead, type WritingHead } from "./http/node/node-response.ts";
export { isCalledBy } from "./http/options/call-stack.ts";
export type { Customs } from "./http/options/customs.ts";
export { durationText } from "./http/options/duration-text.ts";
export {
  GATE_OPTIONS,
  type GateOptions,
  type NeededBy,
  type Preset,
} from "./http/options/gate-options.ts";
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
} from "./http/options/given-options.ts";
export { type IdleOption, idleOptions } from "./http/options/idle-options.ts";
export { makeGate } from "./http/options/make-gate.ts";
export { withNumbers } from "./http/options/numeric-text.ts";
export { showLimiters } from "./http/options/show-limiters.ts";
export {
  type FurtherNames,
  type GivenNames,
  inGivenNames,
  type Spelled,
  spelled,
} from "./http/options/spelling.ts";
export type { Counter, Verdict } from "./http/verdict.ts";
export type { WarningCode } from "./http/warning-codes.ts";
export { TidegateWarning, type WarningSwitches, Warnings } from "./http/warnings.ts";
export { invalidOption } from "./options.ts";
export { type EmittedWarning, emitWarning } from "./runtime/emit-warning.ts";
