/**
 * Reads users' options of an adapter for a gate.
 *
 * Users come from different packages, so an option may have more than one name. A gate knows each
 * option by one name and checks it under that name. Errors then show the name that the user wrote.
 * Many of those packages ignore unknown options, so an unknown option is a warning and not an error.
 */

import { TidegateError } from "../../base/errors.ts";
import { nearest, shown } from "../../base/options.ts";
import { withNumbers } from "../numeric-text.ts";
import { type AskedWithKey, isThenable, type ShownKey } from "../user-functions.ts";
import { WARNING_CODES } from "../warning-codes.ts";
import type { Warnings } from "../warnings.ts";
import { GATE_OPTIONS, type GateOptions } from "./gate-options.ts";

export { unusedOptions } from "./presets.ts";

/** Alternative names of options, by their main name. */
export type FurtherNames = Readonly<Record<string, readonly string[]>>;

/** The names that the user wrote, by main name. */
export type GivenNames = Readonly<Record<string, string>>;

export interface Spelled {
  /** The given options, by main name. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly names: GivenNames;
}

/** The names of an adapter's options, beside those of a gate. */
export interface OptionNames {
  /** Options that only the adapter has. */
  readonly own: readonly string[];
  readonly further: FurtherNames;
}

/** Options that may be functions with the key as an argument. */
const WITH_KEY = ["limit", "windowMs", "cost", "allow", "block"] as const;

/** The options that were given: `undefined` and `null` mean absent. */
export function onlyGiven<Options extends object>(options: Options): Partial<Options> {
  const given = Object.entries(options).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  return Object.fromEntries(given) as Partial<Options>;
}

/** The given options that every adapter takes. */
export function pickGateOptions<Request, Response>(given: object): GateOptions<Request, Response> {
  const picked = GATE_OPTIONS.filter((name) => Reflect.get(given, name) !== undefined);
  return Object.fromEntries(picked.map((name) => [name, Reflect.get(given, name)]));
}

/** Reads options under any of their names; two names must not disagree. */
export function spelled(given: object, furtherNames: FurtherNames): Spelled {
  const options: Record<string, unknown> = {};
  const names: Record<string, string> = {};
  for (const [own, further] of Object.entries(furtherNames)) {
    const value = (name: string): unknown => Reflect.get(given, name);
    const [first, ...others] = [own, ...further].filter((name) => value(name) !== undefined);
    if (first === undefined) continue;
    const differing = others.find((name) => !Object.is(value(name), value(first)));
    if (differing !== undefined) {
      throw new TidegateError(
        "TIDEGATE_OPTION_CONFLICT",
        `'${first}' and '${differing}' are two names of one option and differ: keep one of them`,
      );
    }
    options[own] = value(first);
    names[own] = first;
  }
  return { options, names };
}

/** Makes something from options; an error about an option shows the name that the user wrote. */
export function inGivenNames<Made>(names: GivenNames, make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof TidegateError)) throw error;
    const text = error.message.slice(0, -` [${error.code}]`.length);
    // Messages quote option names, possibly with a path.
    const renamed = text.replace(/'(\w+)(?=['[.])/g, (quoted, own: string) =>
      Object.hasOwn(names, own) ? `'${names[own]}` : quoted,
    );
    throw new TidegateError(error.code, renamed);
  }
}

/** Reads a gate's options among those of an adapter, and warns about options that have no effect. */
export function readOptions<Request, Response>(
  given: object,
  { own, further }: OptionNames,
  warnings: Warnings,
): Spelled & { readonly options: GateOptions<Request, Response> } {
  const unread = unknownIn(given, [...GATE_OPTIONS, ...own, ...Object.values(further).flat()]);
  if (unread !== "") warnings.say("TIDEGATE_OPTION_UNREAD", `Not an option: ${unread}.`);
  const respelled = spelled(given, further);
  const { names } = respelled;
  const key = keyFunction<Request, Response>(respelled);
  const options = { ...pickGateOptions<Request, Response>(given), ...respelled.options, key };
  if (key !== undefined && options.ipv6Subnet !== undefined) {
    warnings.say("TIDEGATE_SUBNET_UNREAD");
  }
  return { options: withNumbers(options, warnings, names), names };
}

/**
 * The key function; `keyGenerator` must be the last of its names.
 *
 * Packages with a `keyGenerator` never allow a request because the answer is false. A function such
 * as `req.isAuthenticated() && req.user.id` must still limit clients that are not signed in: under
 * this name false means that there is no key.
 */
function keyFunction<Request, Response>({
  options,
  names,
}: Spelled): GateOptions<Request, Response>["key"] {
  const key = options["key"] as GateOptions<Request, Response>["key"];
  if (names["key"] !== "keyGenerator" || typeof key !== "function") return key;
  return (request, response) => {
    const answer = key(request, response);
    return isThenable(answer) ? Promise.resolve(answer).then(orNothing) : orNothing(answer);
  };
}

/** What to use instead of a store, for messages. */
export const CLUSTER_INSTEAD =
  "tidegate counts in this process and needs no store: leave it out, and for a limit that holds over several processes give 'name' and 'cluster: joinCluster({ namespace, transport })'";

/**
 * Warns about names in `validate` that switch nothing.
 *
 * @param more further accepted names, whose warnings no longer exist
 */
export function sayUnreadSwitches(
  validate: unknown,
  warnings: Warnings,
  more: readonly string[] = [],
): void {
  if (typeof validate !== "object" || validate === null) return;
  const switches = Object.values(WARNING_CODES).map((entry) => entry.switch);
  const unread = unknownIn(validate, ["default", ...switches, ...more]);
  if (unread !== "") warnings.say("TIDEGATE_SWITCH_UNREAD", `'validate' has ${unread}.`);
}

/** The unknown names in an object, each with the name that may be meant. */
function unknownIn(given: object, known: readonly string[]): string {
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  const named = unknown.map((name) => {
    const meant = nearest(name, known);
    return meant === undefined ? `'${name}'` : `'${name}' (did you mean '${meant}'?)`;
  });
  return named.join(", ");
}

/**
 * The options in the arguments of a function that makes a middleware.
 *
 * @param place what users call
 */
export function optionsIn<Options extends object>(
  place: string,
  given: Options | undefined,
): Partial<Options> {
  if (given === undefined) return {};
  const isObject = typeof given === "object" && given !== null;
  if (!isObject || Symbol.iterator in given || isThenable(given)) {
    const hint =
      typeof given === "number" || /^\d+$/.test(String(given))
        ? `write ${place}({ limit: ${given} })`
        : "leave it out for the defaults";
    throw new TidegateError(
      "TIDEGATE_OPTION_INVALID",
      `${place} takes an options object, got ${shown(given)}: ${hint}`,
    );
  }
  // The framework's arguments to a middleware have a connection, and options have none.
  if (!("socket" in given)) return given;
  throw new TidegateError(
    "TIDEGATE_OPTION_INVALID",
    `${place} returns a middleware and is not one: write app.use(${place}()), with options if needed`,
  );
}

/**
 * Passes the key as the second argument, right after the request, as some users expect; the
 * response comes last.
 *
 * @param shown the key as users see it
 */
export function withKeySecond<Request, Response>(
  options: GateOptions<Request, Response>,
  shown: (request: Request, key: ShownKey) => unknown = (_request, key) => key,
): GateOptions<Request, Response> {
  const turned: Record<string, AskedWithKey<Request, Response, unknown>> = {};
  for (const name of WITH_KEY) {
    const asked: unknown = options[name];
    if (typeof asked !== "function") continue;
    turned[name] = (request, response, key) => asked(request, shown(request, key), response);
  }
  return { ...options, ...turned };
}

function orNothing<Answer>(answer: Answer | false): Answer | null {
  return answer === false ? null : answer;
}
