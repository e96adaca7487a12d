/**
 * Everything of a rate limiter for HTTP that is the same in every web framework.
 *
 * Adapters are made of this. A `Framework` says how to read requests and write headers. `makeGate`
 * turns options into the gate, which the adapter asks about every request. An adapter that replaces
 * another limiter brings its `ParityDefaults`. Applications use the adapters instead.
 *
 * @packageDocumentation
 */

export { invalidOption } from "./base/options.ts";
export {
  type AddressOptions,
  addressKey,
  addressReader,
  type Ipv6Subnet,
  ipKeyGenerator,
} from "./http/client/client-address.ts";
export { compositeKey, type KeyAnswer, keyOf, storedKey } from "./http/client/client-key.ts";
export type { Counter, Key, Verdict } from "./http/counter.ts";
export {
  durationText,
  type EventualOutcome,
  type Gate,
  isByLimit,
  NEVER_PASSES,
  type Outcome,
  PROBLEM_TYPE,
  type Refusal,
  type RefusedBy,
  showLimiters,
} from "./http/flow/gate.ts";
export type {
  EndListener,
  FollowedEnd,
  Framework,
  HeaderValue,
  LateHeaders,
  ProxyTrust,
  RequestConnection,
  ResponseEnd,
} from "./http/framework.ts";
export {
  DRAFTS,
  type Draft,
  type FieldFormat,
  type FieldSource,
  fieldsOf,
  type KeyedPartition,
  type LegacyFields,
  type LegacyNames,
  limitOf,
  type PartitionKey,
  WallTime,
} from "./http/headers/fields.ts";
export { beforeWriteHead, requestHeader, type WritingHead } from "./http/node/node-http.ts";
export { followServerResponse } from "./http/node/response-end.ts";
export {
  CLUSTER_INSTEAD,
  type FurtherNames,
  type GivenNames,
  type OptionNames,
  onlyGiven,
  optionsIn,
  pickGateOptions,
  readOptions,
  type Spelled,
  sayUnreadSwitches,
  spelled,
  unusedOptions,
  withKeySecond,
} from "./http/options/given-options.ts";
export {
  type Adapter,
  type GateOptions,
  makeGate,
  type NeededBy,
  type ParityDefaults,
  type Preset,
} from "./http/options/make-gate.ts";
export {
  type Asked,
  type AskedWithKey,
  type Cost,
  isThenable,
  type MaybePromise,
  type OnError,
  type ShownKey,
} from "./http/user-functions.ts";
export type { WarningCode } from "./http/warning-codes.ts";
export { isCalledBy, TidegateWarning, type WarningSwitches, Warnings } from "./http/warnings.ts";
export { type EmittedWarning, emitWarning } from "./runtime/emit-warning.ts";
