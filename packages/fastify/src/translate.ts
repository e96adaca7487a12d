/** Translates the options of @fastify/rate-limit to those of a gate. */

import type { Limiter } from "@tidegate/core";
import {
  type Adapter,
  addressReader,
  type Cost,
  type GateOptions,
  isThenable,
  limitOf,
  makeGate,
  pickGateOptions,
  type ShownKey,
  type Warnings,
  withKeySecond,
} from "@tidegate/core/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { FASTIFY } from "./fastify-framework.ts";
import type { FastifyGate, Given } from "./given.ts";
import type { Limiters } from "./limiters.ts";
import { banOf, countingTries, countsTries } from "./parity/bans.ts";
import { DEFAULT_LIMIT, parityDefaults } from "./parity/defaults.ts";
import { allowed, normalizeIP, shownSubnet } from "./parity/older-options.ts";
import type { errorResponseBuilderContext } from "./parity/peer-types.ts";

/** Which limiter is used, and whether others share it. */
export interface Standing {
  /** Undefined if the user has to give it, and did not. */
  readonly name: string | undefined;
  /** Whether several limits use the limiter, possibly with different values. */
  readonly isShared: boolean;
  readonly limiters: Limiters;
  readonly warnings: Warnings;
}

/** A user's function that is called for a request and returns nothing useful. */
type Callback = (request: FastifyRequest, key: string) => void;

/** Everything that a handler uses. */
export interface Settings {
  readonly gate: FastifyGate;
  /** How many refusals lead to a ban; null without bans. */
  readonly ban: number | null;
  readonly errorResponseBuilder:
    | ((request: FastifyRequest, context: errorResponseBuilderContext) => object | string)
    | undefined;
  readonly onBanReach: Callback | undefined;
  /**
   * A key as users see it: text in the type that users' types state, and a number if it was one.
   */
  readonly shownKey: (request: FastifyRequest, key: ShownKey | null) => string;
}

export function settingsOf(given: Given, standing: Standing): Settings {
  const shownKey = shownKeyOf(given);
  const { errorResponseBuilder } = given;
  return {
    gate: makeGate(gateOptionsOf(given, standing), adapterOf(given, standing)),
    ban: banOf(given),
    errorResponseBuilder,
    onBanReach: caught(given.onBanReach, standing.warnings),
    shownKey,
  };
}

/** The same for a reply, and for a note that only collects results. */
export function gateOptionsOf<Reply = FastifyReply>(
  given: Given,
  { name, isShared }: Pick<Standing, "name" | "isShared">,
): GateOptions<FastifyRequest, Reply> {
  const options: GateOptions<FastifyRequest, Reply> = {
    ...pickGateOptions<FastifyRequest, Reply>(given),
    ...(name !== undefined && { name }),
    ...(given.allow !== undefined && { allow: allowed(given) as never }),
  };
  const limit = isShared ? perCall(given) : given.limit;
  const shown = shownKeyOf(given);
  return withKeySecond(
    { ...options, ...(limit !== undefined && { limit: limit as never }) },
    (request, key) => shown(request, key),
  );
}

/** The limit of each call, so that limits which share a limiter may differ. */
function perCall({ limit, policies, preset = "parity" }: Given): unknown {
  if (policies !== undefined || preset === "login" || typeof limit === "function") return limit;
  if (limit === undefined && preset === "api") return undefined;
  const most = limitOf("limit", limit ?? DEFAULT_LIMIT);
  return (): Cost => most;
}

export function adapterOf(
  given: Given,
  { limiters, warnings }: Standing,
): Adapter<FastifyRequest, FastifyReply> {
  const onExceeding = caught(given.onExceeding, warnings);
  const onExceeded = caught(given.onExceeded, warnings);
  const shownKey = shownKeyOf(given);
  return {
    framework: FASTIFY,
    warnings,
    names: given.names,
    defaults: parityDefaults(given),
    showsHandlers: true,
    makeLimiter: (options): Limiter => limiters.get(options),
    ...(countsTries(given) && { counterOf: countingTries }),
    ...((onExceeding !== undefined || onExceeded !== undefined) && {
      onVerdict: (request, _reply, { allowed: passes }, key) => {
        if (passes) onExceeding?.(request, shownKey(request, key));
        else onExceeded?.(request, shownKey(request, key));
      },
    }),
  };
}

/** A user's function whose result is not awaited; a later failure gives a warning. */
function caught(callback: Callback | undefined, warnings: Warnings): Callback | undefined {
  if (callback === undefined) return undefined;
  return (request: FastifyRequest, key: string): void => {
    const pending: unknown = callback(request, key);
    if (!isThenable(pending)) return;
    pending.then(undefined, (error) => warnings.say("TIDEGATE_AFTERWARDS_FAILED", "", error));
  };
}

/**
 * How users see keys: as their own functions return them, and networks without their length. With
 * the preset `login`, a user name cannot be told from an address, so all keys stay unchanged.
 */
export function shownKeyOf(given: Given): Settings["shownKey"] {
  const subnet = shownSubnet(given);
  const staysAsItIs = given.key !== undefined || given.preset === "login";
  const address = addressReader(FASTIFY, given);
  return (request, key) => {
    if (key === null) return "";
    if (typeof key === "number" || typeof key === "bigint") return key as unknown as string;
    if (typeof key !== "string") return Buffer.from(key).toString("base64url");
    if (staysAsItIs || !key.includes(":")) return key;
    return normalizeIP(address(request) ?? key, subnet === false ? 128 : subnet);
  };
}
