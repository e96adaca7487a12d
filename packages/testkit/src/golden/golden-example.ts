/**
 * The form of a golden example: a policy, and calls in order with their expected results.
 *
 * The numbers were worked out by hand. The references and the limiter are tested against the same
 * table. So neither can be changed to fit the other.
 */

import type { OracleVerdict } from "../oracles/oracle.ts";

/** A policy: the name of its factory as `kind`, and the options to call it with. */
export type GoldenPolicy =
  | { readonly kind: "fixedWindow"; readonly limit: number; readonly windowMs: number }
  | { readonly kind: "fixedWindow"; readonly limit: number; readonly calendar: "minute" }
  | {
      readonly kind: "slidingWindow";
      readonly limit: number;
      readonly windowMs: number;
      readonly slots: number;
    }
  | { readonly kind: "slidingLog"; readonly limit: number; readonly windowMs: number }
  | { readonly kind: "tokenBucket"; readonly capacity: number; readonly refillPerSecond: number }
  | {
      readonly kind: "leakyBucket";
      readonly capacity: number;
      readonly leakPerSecond: number;
      readonly maxWaitMs?: number;
    };

/** One call on the one key of the example. */
export interface GoldenStep {
  readonly atMs: number;
  readonly op: "check" | "peek" | "charge";
  readonly cost: number;
  /** The parts of the result that the example fixes. */
  readonly expect: Readonly<Partial<OracleVerdict>>;
  readonly note: string;
}

/** A named example. */
export interface GoldenExample {
  readonly name: string;
  readonly policy: GoldenPolicy;
  readonly steps: readonly GoldenStep[];
}

/** Milliseconds since 1970 of a time on its first day: `"11:01:30"`. */
export function timeOfDay(text: string): number {
  return Date.parse(`1970-01-01T${text}Z`);
}
