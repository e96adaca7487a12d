/**
 * From the options of koa-ratelimit to those of a gate.
 *
 * What has several names may be given under any of them. Drivers have no meaning where nothing is
 * stored elsewhere: one that could be left out is ignored, any other is a mistake to be told.
 */

import { validateHeaderName } from "node:http";
import { fixedWindow, HOUR, TidegateError } from "@tidegate/core";
import {
  addressReader,
  CLUSTER_INSTEAD,
  type Customs,
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

/** Options that only Koa has. */
const OWN_OPTIONS: readonly (keyof Options)[] = [
  ...(["headers", "disableHeader", "errorMessage", "throw", "validate"] as const),
  ...(["driver", "db", "namespace"] as const),
];

const FURTHER_NAMES: FurtherNames = {
  ...{ limit: ["max"], windowMs: ["duration"], key: ["id", "keyGenerator"] },
  ...{ allow: ["whitelist"], block: ["blacklist"], statusCode: ["status"] },
};

const OFF_IF_FALSY = ["whitelist", "blacklist", "status", "onLimited"];

/** Whoever hands a request to middleware is on the stack while one is handled. */
const HANDLING = /[\\/]koa-compose[\\/]/;

/** The headers that tell of a limit, by what each tells. */
interface HeaderNames {
  readonly remaining: string;
  readonly reset: string;
  readonly limit: string;
}

/** Everything that a middleware needs to know. */
export interface Settings {
  readonly gate: Gate<Context, Context>;
  /** The headers to tell programs of. */
  readonly names: readonly string[];
  readonly errorMessage: string | object | undefined;
  readonly throws: boolean;
  /** A key as users know it: the address that counts, as Koa or the connection has it. */
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
  const customs = customsOf(names, warnings, options.name ?? "default");
  sayUnreadSubnet(options, warnings);
  const sendsNames = options.legacyHeaders ?? (given.preset ?? "parity") === "parity";
  return {
    gate: inGivenNames(respelled.names, () => makeGate(options, customs)),
    names: sendsNames ? [names.remaining, names.reset, names.limit] : [],
    errorMessage: given.errorMessage || undefined,
    throws: Boolean(given.throw),
    shownKey: shownKeyOf(options),
  };
}

/** The options without those that are off, as users of koa-ratelimit may write it. */
function withoutOff(options: Options): Options {
  return Object.fromEntries(
    Object.entries(options).filter(([name, value]) => value || !OFF_IF_FALSY.includes(name)),
  );
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

/** With the preset `login` a key may be a user name, which nothing tells from an address. */
function shownKeyOf(options: GateOptions<Context, Context>): Settings["shownKey"] {
  if (options.key !== undefined || options.preset === "login") return (_context, key) => key;
  const address = addressReader(KOA, options);
  return (context, key) => address(context) ?? key;
}

/** `disableHeader` says the opposite of `legacyHeaders`. */
function legacyHeaders({ disableHeader, ...given }: Options): boolean {
  const names = { legacyHeaders: ["disableHeader"] };
  const { options } = spelled({ ...given, disableHeader: !disableHeader }, names);
  return options["legacyHeaders"] as boolean;
}

function customsOf(
  legacy: HeaderNames,
  warnings: Warnings,
  name: string,
): Customs<Context, Context> {
  return {
    place: "rateLimit",
    framework: KOA,
    warnings,
    limit: 2_500,
    windowMs: HOUR,
    policy: (limit, windowMs) => fixedWindow({ limit, windowMs }),
    ipv6Subnet: 64,
    ipv6SubnetRange: [32, 64],
    legacyHeaders: true,
    legacy: { allowed: legacy, refused: legacy, resetAs: "epoch" },
    sendsRetryAfter: true,
    tellsHandled: true,
    fieldName: () => name,
    countsRefused: false,
    limitedMayThrow: true,
  };
}

function headerNames({ headers = {} }: Options): HeaderNames {
  const {
    remaining = "X-RateLimit-Remaining",
    reset = "X-RateLimit-Reset",
    total = "X-RateLimit-Limit",
  } = headers ?? {};
  for (const [option, name] of Object.entries({ remaining, reset, total })) {
    try {
      validateHeaderName(name);
    } catch {
      throw new TidegateError(
        "TIDEGATE_OPTION_INVALID",
        `'headers.${option}' must be the name of a header, got ${JSON.stringify(name)}`,
      );
    }
  }
  return { remaining, reset, limit: total };
}

function refuseStores(given: object): void {
  const { driver, db }: { driver?: unknown; db?: unknown } = given;
  if (driver !== undefined && driver !== "memory") {
    throw new TidegateError(
      "TIDEGATE_OPTION_INVALID",
      `'driver' must be "memory" or left out, got ${JSON.stringify(driver)}: ${CLUSTER_INSTEAD}`,
    );
  }
  if (db === undefined || db === null) return;
  if (Object.prototype.toString.call(db) === "[object Map]") return;
  throw new TidegateError(
    "TIDEGATE_OPTION_INVALID",
    `'db' must be a Map or left out: ${CLUSTER_INSTEAD}`,
  );
}
