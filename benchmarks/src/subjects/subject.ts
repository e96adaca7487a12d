/**
 * A rate limiter as a benchmark sees it.
 *
 * Each subject writes out its own loops, and awaits in them exactly what its users must await, so
 * that every loop is compiled for one limiter and none pays for another's shape. Nothing that comes
 * back may go unused, or the compiler would be free to leave it out.
 */

import type { Keys } from "../measure/keys.ts";

export interface Subject {
  /** Asks once for each key, in order, and returns how many were allowed. */
  run(keys: Keys): number | Promise<number>;
  /** How many keys it holds, or `undefined` if it cannot tell. */
  keysHeld(): number | undefined;
  /** Passes the time of one slot, where a subject has slots and can be told what time it is. */
  readonly nextSlot?: (() => void) | undefined;
  /** Lets go of whatever keeps a process busy. */
  close(): void;
}

/** What a subject has to answer to every request that is measured. */
export type Verdict = "allowed" | "refused";

/** The window of all subjects: so long that none ends while it is measured. */
export const WINDOW_MS: number = 60 * 60 * 1_000;

/** How many slots a sliding window is cut into. */
export const SLIDING_SLOTS = 12;

const LIMIT_NEVER_REACHED = 1_000_000_000;

export interface SubjectOptions {
  /** Requests a key may make in one window. */
  readonly limit: number;
  /** How many keys it must be able to hold without dropping one. */
  readonly keysMax: number;
}

/** The limit under which a subject answers so to each key that was asked for once before. */
export function limitFor(verdict: Verdict): number {
  return verdict === "refused" ? 1 : LIMIT_NEVER_REACHED;
}

/** Builds a subject with nothing in it. */
export type OpenSubject = (options: SubjectOptions) => Subject;
