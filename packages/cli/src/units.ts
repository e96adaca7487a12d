/**
 * How durations, percentages and counts are typed and shown.
 */

import { UsageError } from "./usage-error.ts";

const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/;
const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Reads what a flag was given; throws a `UsageError` if that makes no sense. */
export type Reader<Value> = (text: string, flag: string) => Value;

export function duration(
  leastMs: number,
  mostMs: number = Number.POSITIVE_INFINITY,
): Reader<number> {
  return (text, flag) => {
    const [, number, unit = ""] = DURATION.exec(text) ?? [];
    if (number === undefined) {
      throw new UsageError(`--${flag} must be a duration such as 50ms, 1s or 2m, got '${text}'`);
    }
    return within(Number(number) * UNITS_MS[unit]!, leastMs, mostMs, flag, shownDuration);
  };
}

export function wholeNumber(least: number, most: number): Reader<number> {
  return (text, flag) => {
    if (!/^\d+$/.test(text)) {
      throw new UsageError(`--${flag} must be a whole number such as ${least}, got '${text}'`);
    }
    return within(Number(text), least, most, flag, String);
  };
}

export function numberAbove0(most: number): Reader<number> {
  return (text, flag) => {
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (!(value > 0 && value <= most)) {
      throw new UsageError(`--${flag} must be a number above 0 and up to ${most}, got '${text}'`);
    }
    return value;
  };
}

/** A part of all: `1%` and `0.01` are the same. */
export function percentage(text: string, flag: string): number {
  const [, number, sign] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  const part = Number(number) / (sign === "%" ? 100 : 1);
  if (part >= 0 && part <= 1) return part;
  throw new UsageError(`--${flag} must be a part such as 1% or 0.01, up to 100%, got '${text}'`);
}

export function oneOf<Choice extends string>(choices: readonly Choice[]): Reader<Choice> {
  return (text, flag) => {
    const choice = choices.find((choice) => choice === text);
    if (choice !== undefined) return choice;
    const near = nearest(text, choices);
    const hint = near === undefined ? "" : `. Did you mean '${near}'?`;
    throw new UsageError(`--${flag} must be one of ${choices.join(", ")}, got '${text}'${hint}`);
  };
}

export function shownDuration(ms: number): string {
  if (ms < 1_000) return `${trimmed(ms)}ms`;
  if (ms < 60_000) return `${trimmed(ms / 1_000)}s`;
  return ms < 3_600_000 ? `${trimmed(ms / 60_000)}m` : `${trimmed(ms / 3_600_000)}h`;
}

export function shownPercent(part: number, digits = 1): string {
  return `${(100 * part).toFixed(digits).replace(/^-(0(\.0+)?)$/, "$1")} %`;
}

/** At most three digits after the point, and no zeros at the end. */
export function trimmed(value: number): string {
  return String(Number(value.toFixed(3)));
}

/** The choice that is most like a text, if any is like it. */
export function nearest(text: string, choices: readonly string[]): string | undefined {
  const found = choices
    .map((choice) => ({ choice, edits: editsBetween(text, choice) }))
    .sort((one, other) => one.edits - other.edits)[0];
  const isNear = found !== undefined && found.edits <= Math.max(1, Math.floor(text.length / 3));
  return isNear
    ? found.choice
    : choices.find((choice) => text.length > 1 && choice.startsWith(text));
}

/** How many letters to add, remove or replace to make one text out of the other. */
function editsBetween(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [row, letter] of Array.from(one).entries()) {
    const line = [row + 1];
    for (let column = 0; column < other.length; column++) {
      const replaced = above[column]! + (letter === other[column] ? 0 : 1);
      line.push(Math.min(replaced, above[column + 1]! + 1, line[column]! + 1));
    }
    above = line;
  }
  return above[other.length]!;
}

function within(
  value: number,
  least: number,
  most: number,
  flag: string,
  shown: (value: number) => string,
): number {
  if (value < least) {
    throw new UsageError(`--${flag} must be at least ${shown(least)}, got ${shown(value)}`);
  }
  if (value > most) {
    throw new UsageError(`--${flag} must be at most ${shown(most)}, got ${shown(value)}`);
  }
  return value;
}
