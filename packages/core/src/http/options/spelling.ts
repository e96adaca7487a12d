/**
 * Options that have more than one name, since users come from different limiters.
 *
 * A gate knows each by one name and checks it so. What it finds wrong is put in the user's words where
 * an adapter asked for it.
 */

import { TidegateError } from "../../base/errors.ts";
import { invalidOption } from "../../base/options.ts";

/** The further names of options, by their own. */
export type FurtherNames = Readonly<Record<string, readonly string[]>>;

/** The names that options were given by, by their own. */
export type GivenNames = Readonly<Record<string, string>>;

export interface Spelled {
  /** Options that have more than one name, as far as they were given, under their own. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly names: GivenNames;
}

/** Takes options under any of their names, which may not disagree. */
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

/** Makes something of options; an error about an option has the name that the user gave it by. */
export function inGivenNames<Made>(names: GivenNames, make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof TidegateError)) throw error;
    const text = error.message.slice(0, -` [${error.code}]`.length);
    // Messages have the names of options in quotes, perhaps with a place within.
    const told = text.replace(/'(\w+)(?=['[.])/g, (quoted, own: string) =>
      Object.hasOwn(names, own) ? `'${names[own]}` : quoted,
    );
    throw new TidegateError(error.code, told);
  }
}

/** A function, or nothing. */
export function optionalFunction<Given>(option: string, value: Given): Given {
  if (value === undefined || value === null || typeof value === "function") return value;
  throw invalidOption(option, "a function", value);
}
