/**
 * What an adapter gets when a request may not pass: everything but the framework's own way to say so.
 */

import type { ShownKey } from "../client/client-key.ts";
import type { Verdict } from "../verdict.ts";
import type { RefusedBy } from "./problem.ts";

export interface Refusal {
  readonly reason: RefusedBy;
  readonly status: number;
  /** The wait in seconds that was sent as Retry-After; 0 where none helps and none was sent. */
  readonly retryAfterSeconds: number;
  readonly key: ShownKey | null;
  /** Null when nobody was asked. */
  readonly verdict: Verdict | null;
  /** Whether the request costs more than a limit allows at all, so that no wait helps. */
  readonly neverPasses: boolean;
  /** A body of the type `application/problem+json`; null where the framework's usual one is sent. */
  readonly problem: string | null;
  /** False in a dry run, in which the request passes all the same. */
  readonly enforced: boolean;
}

/** Null lets the request pass. */
export type Outcome = Refusal | null;

export type Passing = Outcome | Promise<Outcome>;

export const PROBLEM_TYPE = "application/problem+json";
