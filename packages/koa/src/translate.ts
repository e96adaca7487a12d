/**
 * Translates the options of koa-ratelimit to those of a gate.
 *
 * An option with several names may be given under any of them.
 */

import {
  addressReader,
  type Gate,
  type GateOptions,
  isCalledBy,
  makeGate,
  type OptionNames,
  onlyGiven,
  optionsIn,
  readOptions,
  type ShownKey,
  sayUnreadSwitches,
  Warnings,
  withKeySecond,
} from "@tidegate/core/http";
import type { Context } from "koa";
import { KOA } from "./koa-framework.ts";
import type { Options } from "./options.ts";
import { headerNamesOf, parityDefaults, refuseStores, respelled } from "./parity/koa-ratelimit.ts";

const NAMES: OptionNames = {
  own: [
    ...(["headers", "errorMessage", "throw", "validate"] as const),
    ...(["driver", "db", "namespace"] as const),
  ] satisfies (keyof Options)[],
  further: {
    ...{ limit: ["max"], windowMs: ["duration"], key: ["id", "keyGenerator"] },
    ...{ allow: ["whitelist"], block: ["blacklist"], statusCode: ["status"] },
    legacyHeaders: ["disableHeader"],
  },
};

/** The module that calls middleware is on the stack while a request is handled. */
const HANDLING = /[\\/]koa-compose[\\/]/;

/** Everything that a middleware uses. */
export interface Settings {
  readonly gate: Gate<Context, Context>;
  /** The headers that `ctx.state` and thrown errors show. */
  readonly headerNames: readonly string[];
  readonly errorMessage: string | object | undefined;
  readonly throws: boolean;
  /** A key as users see it: the address that counts, as Koa or the connection has it. */
  readonly shownKey: (context: Context, key: ShownKey) => ShownKey;
}

export function translate(passed?: Options): Settings {
  const given = onlyGiven(optionsIn("rateLimit", passed));
  const warnings = new Warnings(given.validate);
  if (isCalledBy(HANDLING)) warnings.sayMadePerRequest();
  sayUnreadSwitches(given.validate, warnings);
  refuseStores(given);
  const header = headerNamesOf(given);
  const { options, names } = readOptions<Context, Context>(respelled(given), NAMES, warnings);
  const shownKey = shownKeyOf(options);
  const sendsHeaders = options.legacyHeaders ?? (given.preset ?? "parity") === "parity";
  return {
    gate: makeGate(withKeySecond(options, shownKey), {
      ...{ framework: KOA, warnings, names, defaults: parityDefaults(header), showsHandlers: true },
    }),
    headerNames: sendsHeaders ? [header.remaining, header.reset, header.limit] : [],
    errorMessage: given.errorMessage || undefined,
    throws: Boolean(given.throw),
    shownKey,
  };
}

/** With the preset `login`, a user name cannot be told from an address. */
function shownKeyOf(options: GateOptions<Context, Context>): Settings["shownKey"] {
  if (options.key !== undefined || options.preset === "login") return (_context, key) => key;
  const address = addressReader(KOA, options);
  return (context, key) => address(context) ?? key;
}
