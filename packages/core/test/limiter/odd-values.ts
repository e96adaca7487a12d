/** Values that a caller may pass by mistake, and what comes of them. */

import { TidegateError } from "../../src/index.ts";

export const MAX: number = Number.MAX_SAFE_INTEGER;

/** Each under the words by which a test's title calls it. */
export const ODD_VALUES: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["0", 0],
  ["-0", -0],
  ["-1", -1],
  ["1.5", 1.5],
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["2^53 - 1", MAX],
  ["2^53", MAX + 1],
  ["an empty string", ""],
  ["a numeral", "5"],
  ["null", null],
  ["true", true],
  ["a bigint", 5n],
  ["a symbol", Symbol("odd")],
  ["an empty object", {}],
  ["an array", [1]],
  ["a function", () => 1],
]);

/** What a call returns, or the code of the error that it throws. */
export function outcome(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    if (error instanceof TidegateError) return error.code;
    throw error;
  }
}
