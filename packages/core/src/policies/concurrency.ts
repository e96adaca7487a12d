/**
 * At most `limit` at the same time, such as requests in flight or open sockets.
 *
 * Permits do not expire: each hit that `check` counts holds its permit until `release`.
 */

import { knownOptions, missingOption, wholeNumber } from "../base/options.ts";
import { type CommonPolicyOptions, makePolicy, policyName } from "./policy.ts";

export interface ConcurrencyOptions extends CommonPolicyOptions {
  /** The most permits held at once; 0 refuses everything. */
  readonly limit: number;
}

export interface ConcurrencyPolicy {
  readonly kind: "concurrency";
  readonly name: string;
  readonly limit: number;
}

/**
 * Allows `limit` permits at the same time; return each with `limiter.release`.
 *
 * @example concurrency({ limit: 10 });
 */
export function concurrency(options: ConcurrencyOptions): ConcurrencyPolicy {
  knownOptions("concurrency", options, ["name", "limit"]);
  if (options.limit === undefined) throw missingOption("concurrency", "limit", "how many at once");
  return makePolicy<ConcurrencyPolicy>({
    kind: "concurrency",
    name: policyName("concurrency", options.name),
    limit: wholeNumber("limit", options.limit, 0),
  });
}
