/**
 * What all policies have in common: a frozen description that a limiter applies.
 *
 * A policy is data with every default filled in, so it can be read, compared and shown. It counts
 * nothing itself, and one policy may serve several limiters.
 */

import { TidegateError } from "../base/errors.ts";
import { label, shown } from "../base/options.ts";
import { insideOf, markAsMade } from "../runtime/copies.ts";
import type { LeakyBucketPolicy, TokenBucketPolicy } from "./bucket.ts";
import type { ConcurrencyPolicy } from "./concurrency.ts";
import type { FixedWindowPolicy } from "./fixed-window.ts";
import type { SlidingLogPolicy } from "./sliding-log.ts";
import type { SlidingWindowPolicy } from "./sliding-window.ts";

/** Any of the policies, as its function returns it. */
export type Policy =
  | FixedWindowPolicy
  | SlidingWindowPolicy
  | SlidingLogPolicy
  | TokenBucketPolicy
  | LeakyBucketPolicy
  | ConcurrencyPolicy;

/** The functions that make policies. */
const MAKERS: Readonly<Record<Policy["kind"], true>> = {
  fixedWindow: true,
  slidingWindow: true,
  slidingLog: true,
  tokenBucket: true,
  leakyBucket: true,
  concurrency: true,
};

/** Options of every policy. */
export interface CommonPolicyOptions {
  /**
   * A name for this policy in decisions, per-call limits and headers. Policies of one limiter must
   * have different names.
   *
   * @default the policy's kind, such as `fixedWindow`
   */
  readonly name?: string | undefined;
}

/** Marks a policy as made by one of the functions, and freezes it. */
export function makePolicy<Kind extends Policy>(policy: Kind): Kind {
  markAsMade(policy, "policy", policy);
  return Object.freeze(policy);
}

/** Returns `value` if one of the policy functions made it, and throws otherwise. */
export function asPolicy(option: string, value: unknown): Policy {
  const policy = insideOf(option, "policy", value);
  if (policy !== undefined) return policy as Policy;
  const makers = Object.keys(MAKERS);
  const last = makers.pop();
  throw new TidegateError(
    "TIDEGATE_OPTION_INVALID",
    `'${option}' must be made by ${makers.join(", ")} or ${last}, got ${shown(value)}`,
  );
}

/** A policy's name, or its kind. */
export function policyName(kind: string, name: unknown): string {
  return name === undefined ? kind : label("name", name);
}
