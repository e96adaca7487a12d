/**
 * Reads numbers in text, as environment variables and database rows contain them.
 *
 * Only digits are read, at most as many as a header field can carry. Other text stays text, and the
 * option's check refuses it.
 */

import { shown } from "../base/options.ts";
import type { Warnings } from "./warnings.ts";

const DIGITS = /^\d{1,15}$/;

/** The options that accept such text, also from functions. */
const READ = ["limit", "windowMs"] as const;

/** The number in a text of digits, with a warning; any other value as it is. */
export function numberIn<Value>(option: string, value: Value, warnings: Warnings): Value | number {
  if (typeof value !== "string" || !DIGITS.test(value)) return value;
  warnings.say("TIDEGATE_NUMBER_AS_TEXT", `'${option}' is ${shown(value)}.`);
  return Number(value);
}

/**
 * The options with numbers in place of texts of digits.
 *
 * @param names the option names that the user wrote, for the warning
 */
export function withNumbers<
  Options extends { readonly limit?: unknown; readonly windowMs?: unknown },
>(options: Options, warnings: Warnings, names: Readonly<Record<string, string>> = {}): Options {
  const numbers = READ.map((option) => [
    option,
    numberIn(names[option] ?? option, options[option], warnings),
  ]);
  return {
    ...options,
    ...Object.fromEntries(numbers.filter(([, number]) => number !== undefined)),
  };
}
