/**
 * From the options of express-rate-limit to those of a gate.
 *
 * What has two names may be given under either. What is not known is said and ignored, as users of
 * express-rate-limit expect.
 */

import { fixedWindow } from "@tidegate/core";
import {
  type Counter,
  type Customs,
  DRAFTS,
  type Draft,
  type FurtherNames,
  type Gate,
  type GateOptions,
  inGivenNames,
  invalidOption,
  isThenable,
  keyFunction,
  limitOf,
  makeGate,
  onlyGiven,
  optionsIn,
  pickGateOptions,
  type Spelled,
  sayUnread,
  sayUnreadSubnet,
  spelled,
  WallTime,
  type Warnings,
  withNumbers,
} from "@tidegate/core/http";
import type { Request, Response } from "express";
import { ChangeableCounter } from "./changeable-counter.ts";
import { EXPRESS } from "./express-framework.ts";
import { GateStore } from "./gate-store.ts";
import { isUnchangedStore } from "./limiter-store.ts";
import type { Options, RateLimitOptions } from "./options.ts";
import { policyName } from "./policy-name.ts";
import { RequestInfo } from "./rate-limit-info.ts";
import { isMadePerRequest, sayUnknownSwitches, warningsOf } from "./safety-nets.ts";
import type { Store } from "./store.ts";
import { asStore, StoreCounter, sayReused } from "./store-counter.ts";
import { DEFAULTS, usedOptions } from "./used-options.ts";

const STORE_TIMEOUT_MS = 5_000;

const LEGACY_NAMES = {
  limit: "X-RateLimit-Limit",
  remaining: "X-RateLimit-Remaining",
  reset: "X-RateLimit-Reset",
} as const;

const FURTHER_NAMES: FurtherNames = {
  ...{ limit: ["max"], key: ["id", "keyGenerator"], legacyHeaders: ["headers"] },
};

/** Options that only Express has. */
const OWN_OPTIONS = [
  "message",
  "requestPropertyName",
  "handler",
  "store",
  "passOnStoreError",
  "storeTimeoutMs",
  "validate",
  "logger",
] as const;

/** Options that express-rate-limit had once, by the switch of the warning about them. */
const REMOVED_OPTIONS: Readonly<Record<string, string>> = {
  draft_polli_ratelimit_headers: "draftPolliHeaders",
  onLimitReached: "onLimitReached",
};

/** Options of which express-rate-limit asks only whether they are truthy. */
const SWITCHES = [
  ...(["legacyHeaders", "headers", "passOnStoreError"] as const),
  ...(["skipFailedRequests", "skipSuccessfulRequests"] as const),
] as const;

/** The older name of an option, by the newer one, which wins where both are given. */
const OLDER_NAMES = { limit: "max", legacyHeaders: "headers" } as const;

/** Everything that a middleware needs to know. */
export interface Settings {
  readonly gate: Gate<Request, Response>;
  /** What counts, as a store. */
  readonly store: Store;
  readonly warnings: Warnings;
  /** The user's own body, if there is one. */
  readonly message: unknown;
  readonly handler: Options["handler"] | undefined;
  /** The options as `handler` is told them. */
  readonly used: Options;
}

export function translate(options?: RateLimitOptions): Settings {
  const passed = optionsIn("rateLimit", options);
  const { message } = passed;
  // Nothing is a message as well: an empty body.
  const given = {
    ...withFlags(onlyGiven<RateLimitOptions>(passed)),
    ...(message === null && { message }),
  };
  const warnings = warningsOf(given.validate, given.logger);
  if (isMadePerRequest()) warnings.sayMadePerRequest();
  const further = Object.values(FURTHER_NAMES).flat();
  sayUnread(given, [...OWN_OPTIONS, ...further, ...Object.keys(REMOVED_OPTIONS)], warnings);
  sayRemoved(given, warnings);
  sayUnknownSwitches(given.validate, warnings);
  check(given);
  const respelled = spelled(withoutOlder(given), FURTHER_NAMES);
  const gateOptions = gateOptionsOf(given, respelled, warnings);
  const counted = new GateStore();
  const store = given.store === undefined ? null : asStore(given.store);
  const used = usedOptions(given, gateOptions, store ?? counted);
  const gate = inGivenNames(respelled.names, () =>
    makeGate(gateOptions, customsOf(given, gateOptions, warnings, used, store)),
  );
  counted.gate = gate;
  return {
    gate,
    store: store === null || isUnchangedStore(store) ? counted : store,
    warnings,
    message: given.message,
    handler: given.handler,
    used,
  };
}

function gateOptionsOf(
  given: RateLimitOptions,
  respelled: Spelled,
  warnings: Warnings,
): GateOptions<Request, Response> {
  const key = keyFunction<Request, Response>(respelled);
  sayUnreadSubnet({ ...given, key }, warnings);
  const options = {
    ...pickGateOptions<Request, Response>(given),
    ...respelled.options,
    key,
    ...(given.standardHeaders !== undefined && {
      standardHeaders: draftOf(given.standardHeaders, warnings),
    }),
  };
  return withNumbers(options, warnings, respelled.names);
}

/** The options with `true` or `false` where express-rate-limit takes any value as one of them. */
function withFlags(given: Partial<RateLimitOptions>): Partial<RateLimitOptions> {
  const flags = SWITCHES.filter((name) => name in given).map((name) => [
    name,
    Boolean(given[name]),
  ]);
  return { ...given, ...Object.fromEntries(flags) };
}

/** The options without those whose newer name is given as well. */
function withoutOlder(given: RateLimitOptions): object {
  const kept = { ...given };
  for (const [newer, older] of Object.entries(OLDER_NAMES)) {
    if (Reflect.has(given, newer)) Reflect.deleteProperty(kept, older);
  }
  return kept;
}

function customsOf(
  given: RateLimitOptions,
  options: GateOptions<Request, Response>,
  warnings: Warnings,
  used: Options,
  store: Store | null,
): Customs<Request, Response> {
  const countsRefused = (given.preset ?? "parity") === "parity";
  const property = used.requestPropertyName;
  const wall = new WallTime();
  return {
    place: "rateLimit",
    framework: EXPRESS,
    warnings,
    limit: DEFAULTS.limit,
    windowMs: DEFAULTS.windowMs,
    policy: (limit, windowMs) => fixedWindow({ limit, windowMs, countRefused: countsRefused }),
    ipv6Subnet: DEFAULTS.ipv6Subnet,
    ipv6SubnetRange: [32, 64],
    legacyHeaders: DEFAULTS.legacyHeaders,
    legacy: { allowed: LEGACY_NAMES, refused: LEGACY_NAMES, resetAs: "epoch" },
    sendsRetryAfter: true,
    fieldName: policyName,
    countsRefused: countsRefused || store !== null,
    onVerdict: (request, _response, verdict, key) => {
      // Text by its type, as users' types have it, and a number if it was one.
      const shown = ArrayBuffer.isView(key) ? Buffer.from(key).toString("base64url") : key;
      Reflect.set(request, property, new RequestInfo(verdict, shown as string, wall));
    },
    ...counterOf(given, options, warnings, used, store),
  };
}

/** What counts instead of a limiter that the gate would make. */
function counterOf(
  given: RateLimitOptions,
  options: GateOptions<Request, Response>,
  warnings: Warnings,
  used: Options,
  store: Store | null,
): Pick<Customs<Request, Response>, "counter" | "counterOf" | "limiter"> {
  if (store === null) return {};
  sayReused(store, warnings);
  begin(store, used, warnings);
  const { limit = DEFAULTS.limit, windowMs = DEFAULTS.windowMs } = options;
  const counter = new StoreCounter(store, {
    limit: typeof limit === "number" ? limitOf("limit", limit) : 0,
    windowMs: typeof windowMs === "number" ? windowMs : DEFAULTS.windowMs,
    timeoutMs: given.storeTimeoutMs ?? STORE_TIMEOUT_MS,
    passesOnError: given.passOnStoreError === true,
    warnings,
  });
  if (!isUnchangedStore(store) || store.limiter === null) return { counter };
  const { limiter: own } = store;
  return {
    limiter: own,
    counterOf: (limiter) =>
      limiter === own
        ? new ChangeableCounter(store, limiter as Counter, counter)
        : (limiter as Counter),
  };
}

/** Lets a store begin; what goes wrong with it is said, and its first answer will tell. */
function begin(store: Store, used: Options, warnings: Warnings): void {
  if (isUnchangedStore(store)) {
    void store.init(used);
    return;
  }
  const fail = (error: unknown) => warnings.report("TIDEGATE_STORE_UNREADY", error, Date.now());
  try {
    const pending: unknown = store.init?.(used);
    if (isThenable(pending)) pending.then(undefined, fail);
  } catch (error) {
    fail(error);
  }
}

/** Checks what only this adapter reads. */
function check({
  handler,
  requestPropertyName,
  storeTimeoutMs = STORE_TIMEOUT_MS,
}: RateLimitOptions): void {
  if (handler !== undefined && typeof handler !== "function") {
    throw invalidOption("handler", "a function", handler);
  }
  if (requestPropertyName !== undefined && typeof requestPropertyName !== "string") {
    throw invalidOption("requestPropertyName", "the name of a property", requestPropertyName);
  }
  if (!(Number.isSafeInteger(storeTimeoutMs) && storeTimeoutMs >= 1 && storeTimeoutMs < 2 ** 31)) {
    throw invalidOption("storeTimeoutMs", "whole milliseconds from 1 to 2^31 - 1", storeTimeoutMs);
  }
}

function draftOf(given: unknown, warnings: Warnings): boolean | Draft {
  if (typeof given === "boolean" || !given) return given === true;
  const draft = DRAFTS.find((known) => known === given);
  if (draft === undefined)
    warnings.say("TIDEGATE_HEADERS_UNREAD", `'standardHeaders' is ${String(given)}.`);
  return draft ?? false;
}

function sayRemoved(given: object, warnings: Warnings): void {
  for (const [name, as] of Object.entries(REMOVED_OPTIONS)) {
    if (Reflect.get(given, name)) {
      warnings.say("TIDEGATE_OPTION_REMOVED", `Nobody reads '${name}'.`, undefined, as);
    }
  }
}
