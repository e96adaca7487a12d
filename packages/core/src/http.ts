/**
 * Everything of a rate limiter for HTTP that is the same in every web framework.
 *
 * Adapters are made of this. A `Framework` says how to read requests and write headers. `makeGate`
 * turns options into the gate, which the adapter asks about every request. An adapter that replaces
 * another limiter brings its `ParityDefaults`. Applications use the adapters instead.
 *
 * @packageDocumentation
 */

// What each adapter needs.

export {
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
export { optionsIn } from "./http/options/given-options.ts";
export { type Adapter, type GateOptions, makeGate, type Preset } from "./http/options/make-gate.ts";

// For requests and responses of Node.

export { beforeWriteHead, requestHeader, type WritingHead } from "./http/node/node-http.ts";
export { followServerResponse } from "./http/node/response-end.ts";

// For options of an adapter's own, and its warnings.

export { invalidOption } from "./base/options.ts";
export type { NeededBy } from "./http/options/make-gate.ts";
export type { WarningCode } from "./http/warning-codes.ts";
export { isCalledBy, TidegateWarning, type WarningSwitches, Warnings } from "./http/warnings.ts";
export { type EmittedWarning, emitWarning } from "./runtime/emit-warning.ts";

// Keys and headers, also without an adapter.

export {
  type AddressOptions,
  addressKey,
  addressReader,
  type Ipv6Subnet,
  ipKeyGenerator,
} from "./http/client/client-address.ts";
export { compositeKey, type KeyAnswer, keyOf, storedKey } from "./http/client/client-key.ts";
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

// For functions of users.

export {
  type Asked,
  type AskedWithKey,
  type Cost,
  isThenable,
  type MaybePromise,
  type OnError,
  type ShownKey,
} from "./http/user-functions.ts";

// Only for an adapter in the place of another limiter.

export type { Counter, Key, Verdict } from "./http/counter.ts";
export { durationText } from "./http/flow/gate.ts";
export {
  CLUSTER_INSTEAD,
  type FurtherNames,
  type GivenNames,
  type OptionNames,
  onlyGiven,
  pickGateOptions,
  readOptions,
  type Spelled,
  sayUnreadSwitches,
  spelled,
  unusedOptions,
  withKeySecond,
} from "./http/options/given-options.ts";
export type { ParityDefaults } from "./http/options/make-gate.ts";
