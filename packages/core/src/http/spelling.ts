/**
 * Options that have more than one name, since users come from different limiters.
 */

import { TidegateError } from "../errors.ts";
import { invalidOption } from "../options.ts";

/** The value of an option under whichever of its names it was given; they may not disagree. */
export function spelled<Options extends object, Name extends keyof Options & string>(
  options: Options,
  ...names: readonly Name[]
): Options[Name] | undefined {
  const given = names.filter((name) => options[name] !== undefined);
  const [first, ...others] = given;
  if (first === undefined) return undefined;
  const differing = others.find((name) => !Object.is(options[name], options[first]));
  if (differing !== undefined) {
    throw new TidegateError(
      "TIDEGATE_OPTION_CONFLICT",
      `'${first}' and '${differing}' are two names of one option and differ: keep one of them`,
    );
  }
  return options[first];
}

/** A function, or nothing. */
export function optionalFunction<Given>(option: string, value: Given): Given {
  if (value === undefined || value === null || typeof value === "function") return value;
  throw invalidOption(option, "a function", value);
}
