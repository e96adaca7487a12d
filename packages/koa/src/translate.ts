/**
 * Translates the options of koa-ratelimit to those of a gate.
 *
 * An option with several names may be given under any of them.
 */

import {
  type Adapter,
  addressReader,
  type FurtherNames,
  type Gate,
  type GateOptions,
  inGivenNames,
  isCalledBy,
  keyFunction,
  makeGate,
  onlyGiven,
  optionsIn,
  pickGateOptions,
  type ShownKey,
  type Spelled,
  sayUnread,
  sayUnreadSubnet,
  sayUnreadSwitches,
  spelled,
  Warnings,
  withKeySecond,
  withNumbers,
} from "@tidegate/core/http";
import type { Context } from "koa";
import { KOA } from "./koa-framework.ts";
import type { Options } from "./options.ts";
import { parityDefaults } from "./parity/defaults.ts";
import { headerNames, legacyHeaders, refuseStores, withoutOff } from "./parity/older-options.ts";

/** Options that only Koa has. */
const OWN_OPTIONS: readonly (keyof Options)[] = [
  ...(["headers", "disableHeader", "errorMessage", "throw", "validate"] as const),
  ...(["driver", "db", "namespace"] as const),
];

const FURTHER_NAMES: FurtherNames = {
  ...{ limit: ["max"], windowMs: ["duration"], key: ["id", "keyGenerator"] },
  ...{ allow: ["whitelist"], block: ["blacklist"], statusCode: ["status"] },
};

/** The module that calls middleware is on the stack while a request is handled. */
const HANDLING = /[\\/]koa-compose[\\/]/;

/** Everything that a middleware uses. */
export interface Settings {
  readonly gate: Gate<Context, Context>;
  /** The headers that `ctx.state` and thrown errors show. */
  readonly names: readonly string[];
  readonly errorMessage: string | object | undefined;
  readonly throws: boolean;
  /** A key as users see it: the address that counts, as Koa or the connection has it. */
  readonly shownKey: (context: Context, key: ShownKey) => ShownKey;
}

export function translate(passed?: Options): Settings {
  const given = withoutOff(onlyGiven(optionsIn("rateLimit", passed)));
  const warnings = new Warnings(given.validate);
  if (isCalledBy(HANDLING)) warnings.sayMadePerRequest();
  sayUnread(given, [...OWN_OPTIONS, ...Object.values(FURTHER_NAMES).flat()], warnings);
  sayUnreadSwitches(given.validate, warnings);
  refuseStores(given);
  const names = headerNames(given);
  const respelled = spelled(given, FURTHER_NAMES);
  const options = withNumbers(gateOptionsOf(given, respelled), warnings, respelled.names);
  const adapter: Adapter<Context, Context> = {
    framework: KOA,
    warnings,
    defaults: parityDefaults(names),
    showsHandlers: true,
  };
  sayUnreadSubnet(options, warnings);
  const sendsNames = options.legacyHeaders ?? (given.preset ?? "parity") === "parity";
  return {
    gate: inGivenNames(respelled.names, () => makeGate(options, adapter)),
    names: sendsNames ? [names.remaining, names.reset, names.limit] : [],
    errorMessage: given.errorMessage || undefined,
    throws: Boolean(given.throw),
    shownKey: shownKeyOf(options),
  };
}

function gateOptionsOf(given: Options, respelled: Spelled): GateOptions<Context, Context> {
  const { onLimited, disableHeader } = given;
  const options: GateOptions<Context, Context> = {
    ...pickGateOptions<Context, Context>(given),
    ...respelled.options,
    key: keyFunction<Context, Context>(respelled),
    ...(typeof onLimited === "function" && {
      onLimited: (context, _context, refusal) => onLimited(context, refusal),
    }),
    ...(disableHeader !== undefined && { legacyHeaders: legacyHeaders(given) }),
  };
  return withKeySecond(options, shownKeyOf(options));
}

/** With the preset `login`, a user name cannot be told from an address. */
function shownKeyOf(options: GateOptions<Context, Context>): Settings["shownKey"] {
  if (options.key !== undefined || options.preset === "login") return (_context, key) => key;
  const address = addressReader(KOA, options);
  return (context, key) => address(context) ?? key;
}
