/**
 * Translates the options of express-rate-limit to those of a gate.
 *
 * An option with two names may be given under either. An unknown option gives a warning and is
 * ignored, as users of express-rate-limit expect.
 */

import {
  type Adapter,
  type Gate,
  type GateOptions,
  invalidOption,
  makeGate,
  type OptionNames,
  onlyGiven,
  optionsIn,
  readOptions,
  WallTime,
  type Warnings,
} from "@tidegate/core/http";
import type { Request, Response } from "express";
import { EXPRESS } from "./express-framework.ts";
import type { Options, RateLimitOptions } from "./options.ts";
import { countingIn, STORE_TIMEOUT_MS } from "./parity/counting.ts";
import { parityDefaults } from "./parity/defaults.ts";
import { GateStore } from "./parity/gate-store.ts";
import { isUnchangedStore } from "./parity/limiter-store.ts";
import { REMOVED_OPTIONS, respelled, sayRemoved, withFlags } from "./parity/older-options.ts";
import type { Store } from "./parity/peer-types.ts";
import { RequestInfo } from "./parity/rate-limit-info.ts";
import { asStore } from "./parity/store-counter.ts";
import { usedOptions } from "./parity/used-options.ts";
import { warningsOf } from "./parity/warnings.ts";

const NAMES: OptionNames = {
  own: [
    ...(["message", "requestPropertyName", "handler", "store", "passOnStoreError"] as const),
    ...(["storeTimeoutMs", "validate", "logger"] satisfies (keyof RateLimitOptions)[]),
    ...REMOVED_OPTIONS,
  ],
  further: { limit: ["max"], key: ["id", "keyGenerator"], legacyHeaders: ["headers"] },
};

/** Everything that a middleware uses. */
export interface Settings {
  readonly gate: Gate<Request, Response>;
  /** The counter, as a store. */
  readonly store: Store;
  /** The user's own body, if any. */
  readonly message: unknown;
  readonly handler: Options["handler"] | undefined;
  /** The options as `handler` receives them. */
  readonly used: Options;
}

export function translate(options?: RateLimitOptions): Settings {
  const passed = optionsIn("rateLimit", options);
  const { message } = passed;
  // An explicit null is an empty body.
  const given = {
    ...withFlags(onlyGiven<RateLimitOptions>(passed)),
    ...(message === null && { message }),
  };
  const warnings = warningsOf(given);
  sayRemoved(given, warnings);
  check(given);
  const read = readOptions<Request, Response>(respelled(given, warnings), NAMES, warnings);
  const counted = new GateStore();
  const store = given.store === undefined ? null : asStore(given.store);
  const used = usedOptions(given, read.options, store ?? counted);
  const gate = makeGate(read.options, {
    ...adapterOf(given, read.options, warnings, used, store),
    names: read.names,
  });
  counted.gate = gate;
  return {
    gate,
    store: store === null || isUnchangedStore(store) ? counted : store,
    message: given.message,
    handler: given.handler,
    used,
  };
}

function adapterOf(
  given: RateLimitOptions,
  options: GateOptions<Request, Response>,
  warnings: Warnings,
  used: Options,
  store: Store | null,
): Adapter<Request, Response> {
  const property = used.requestPropertyName;
  const wall = new WallTime();
  return {
    framework: EXPRESS,
    warnings,
    defaults: parityDefaults((given.preset ?? "parity") === "parity", store !== null),
    onVerdict: (request, _response, verdict, key) => {
      // Text in the type that users' types state, and a number if it was one.
      const shown = ArrayBuffer.isView(key) ? Buffer.from(key).toString("base64url") : key;
      Reflect.set(request, property, new RequestInfo(verdict, shown as string, wall));
    },
    ...(store !== null && countingIn(store, given, options, used, warnings)),
  };
}

/** Checks the options that only this adapter reads. */
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
