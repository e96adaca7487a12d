/**
 * Options with more than one name, because users come from different packages.
 *
 * A gate knows each option by one name and checks it under that name. Errors then show the name
 * that the user wrote.
 */

import { TidegateError } from "../../base/errors.ts";
import { invalidOption } from "../../base/options.ts";

/** Alternative names of options, by their main name. */
export type FurtherNames = Readonly<Record<string, readonly string[]>>;

/** The names that the user wrote, by main name. */
export type GivenNames = Readonly<Record<string, string>>;

export interface Spelled {
  /** The given options, by main name. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly names: GivenNames;
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

/** A function, or nothing. */
export function optionalFunction<Given>(option: string, value: Given): Given {
  if (value === undefined || value === null || typeof value === "function") return value;
  throw invalidOption(option, "a function", value);
}
