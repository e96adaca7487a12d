/**
 * Whether a limiter lets its process end once it is closed.
 *
 * This opens, uses and closes one and then returns; the process that started this one waits for
 * its end.
 */

import { fixedWindow } from "@tidegate/core";
import { address } from "../measure/tape.ts";
import { WINDOW_MS } from "../subjects/subject.ts";
import { openLimiter } from "../subjects/tidegate.ts";

/** How long the process took to end by itself after closing; `null` if it had to be killed. */
export interface LeavingRecord {
  readonly kind: "leaving";
  readonly endedAfterMs: number | null;
}

const KEYS = 1_000;

/** Resolves when nothing is left to do but to end. The waiting process makes the record. */
export async function useAndClose(): Promise<[]> {
  const limiter = openLimiter(fixedWindow({ limit: 100, windowMs: WINDOW_MS }), KEYS * 2);
  for (let key = 0; key < KEYS; key++) limiter.check(address(key));
  limiter.close();
  return [];
}
