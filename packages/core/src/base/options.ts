/**
 * The checks of every options object, so that all mistakes read alike.
 *
 * Each check returns the value it accepted or throws a `TidegateError` that names the option, what
 * it must be and what was given. `undefined` always means absent.
 */

import { TidegateError } from "./errors.ts";

/** Durations in milliseconds, the one unit of time in every option. */
export const SECOND = 1_000;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;
export const DAY = 86_400_000;

/** The largest count, cost and limit: integers stay exact up to here. */
export const COUNT_MAX: number = Number.MAX_SAFE_INTEGER;

/** The longest window or wait, a thousand years: times in ms stay exact far beyond. */
export const DURATION_MS_MAX: number = 1_000 * 365 * DAY;

const SHOWN_LENGTH_MAX = 80;

/** How a value is shown in a message: short, and never by running code of the value's own. */
export function shown(value: unknown): string {
  switch (typeof value) {
    case "string":
      return value.length > SHOWN_LENGTH_MAX
        ? `${JSON.stringify(value.slice(0, SHOWN_LENGTH_MAX))}… (${value.length} characters)`
        : JSON.stringify(value);
    case "bigint":
      return `${value}n`;
    case "function":
      return "a function";
    case "symbol":
      return "a symbol";
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? "an array" : "an object";
    default:
      return String(value);
  }
}

/** The error for a value that an option does not allow. */
export function invalidOption(option: string, expected: string, given: unknown): TidegateError {
  return new TidegateError(
    "TIDEGATE_OPTION_INVALID",
    `'${option}' must be ${expected}, got ${shown(given)}`,
  );
}

/** Refuses anything but a plain options object whose names are all in `known`. */
export function knownOptions(
  place: string,
  options: unknown,
  known: readonly string[],
): asserts options is Readonly<Record<string, unknown>> {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new TidegateError(
      "TIDEGATE_OPTION_INVALID",
      `${place} takes an options object, got ${shown(options)}`,
    );
  }
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    const meant = nearest(name, known);
    const hint = meant === undefined ? `it takes ${known.join(", ")}` : `did you mean '${meant}'?`;
    throw new TidegateError(
      "TIDEGATE_OPTION_UNKNOWN",
      `${place} has no option ${shown(name)}: ${hint}`,
    );
  }
}

/** The error for an option that has no default and was not given. */
export function missingOption(place: string, option: string, expected: string): TidegateError {
  return new TidegateError("TIDEGATE_OPTION_MISSING", `${place} needs '${option}': ${expected}`);
}

/** A whole number between `least` and `most`. */
export function wholeNumber(
  option: string,
  value: unknown,
  least: number,
  most: number = COUNT_MAX,
): number {
  if (isWhole(value, least, most)) return value + 0; // Turns -0 into 0.
  const range = most === COUNT_MAX ? `of at least ${least}` : `from ${least} to ${most}`;
  const unlimited =
    value === Number.POSITIVE_INFINITY && most === COUNT_MAX
      ? " (for no limit, skip the check or use Number.MAX_SAFE_INTEGER)"
      : "";
  throw invalidOption(option, `a whole number ${range}${unlimited}`, value);
}

/** A duration in whole milliseconds, at least `least`. */
export function durationMs(option: string, value: unknown, least = 1): number {
  if (isWhole(value, least, DURATION_MS_MAX)) return value + 0;
  throw invalidOption(
    option,
    `whole milliseconds, at least ${least} and at most a thousand years`,
    value,
  );
}

function isWhole(value: unknown, least: number, most: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
}

/** A finite number above zero, fractions allowed: a rate. */
export function positiveNumber(option: string, value: unknown, most: number): number {
  if (typeof value === "number" && value > 0 && value <= most) return value;
  throw invalidOption(option, `a number above 0 and at most ${most}`, value);
}

/** A part of a whole. */
export function part(option: string, value: unknown): number {
  if (typeof value === "number" && value >= 0 && value <= 1) return value;
  throw invalidOption(option, "a number from 0 to 1", value);
}

/** `true` or `false`. */
export function flag(option: string, value: unknown): boolean {
  if (typeof value === "boolean") return value;
  throw invalidOption(option, "true or false", value);
}

/** One of a few strings. */
export function oneOf<const Choice extends string>(
  option: string,
  value: unknown,
  choices: readonly Choice[],
): Choice {
  if (choices.includes(value as Choice)) return value as Choice;
  const listed = choices.map((choice) => `'${choice}'`).join(", ");
  const meant = typeof value === "string" ? nearest(value, choices) : undefined;
  const hint = meant === undefined ? "" : ` (did you mean '${meant}'?)`;
  throw invalidOption(option, `one of ${listed}${hint}`, value);
}

/**
 * A string of 1 to `longest` characters without control characters and without half surrogate
 * pairs. All such halves become the same bytes, so two different labels would name one thing.
 */
export function label(option: string, value: unknown, longest = 128): string {
  if (typeof value === "string" && /\p{Surrogate}/u.test(value)) {
    throw invalidOption(
      option,
      "well-formed Unicode, as single halves of surrogate pairs are all sent as one character",
      value,
    );
  }
  if (
    typeof value === "string" &&
    value.length >= 1 &&
    value.length <= longest &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point.
    !/[\x00-\x1f\x7f]/.test(value)
  ) {
    return value;
  }
  throw invalidOption(option, `1 to ${longest} characters without control characters`, value);
}

/** The known word that is the fewest edits away, if it is near enough to be a slip. */
export function nearest<Word extends string>(
  given: string,
  known: readonly Word[],
): Word | undefined {
  let best: Word | undefined;
  let fewest = Math.max(1, Math.floor(given.length / 3)) + 1;
  for (const word of known) {
    const edits = editsBetween(singular(given.slice(0, SHOWN_LENGTH_MAX)), singular(word));
    if (edits < fewest) {
      best = word;
      fewest = edits;
    }
  }
  return best;
}

/** Makes `policy` and `policies` near, although several letters differ. */
function singular(word: string): string {
  return word.toLowerCase().replace(/ies$/, "y");
}

function editsBetween(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const line = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = above[column - 1]! + (from[row - 1] === to[column - 1] ? 0 : 1);
      line.push(Math.min(replaced, above[column]! + 1, line[column - 1]! + 1));
    }
    above = line;
  }
  return above[to.length]!;
}
