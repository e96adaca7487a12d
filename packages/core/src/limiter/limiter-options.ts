/**
 * What a limiter is made from, with every default filled in.
 */

import { TidegateError } from "../errors.ts";
import {
  invalidOption,
  knownOptions,
  label,
  missingOption,
  shown,
  wholeNumber,
} from "../options.ts";
import { asPolicy, type Policy } from "../policies/policy.ts";
import { RECORDS_MAX } from "../store/record-pool.ts";
import { type Clock, systemClock } from "../time/clock.ts";
import { hasPenalties } from "./penalties.ts";

const KEYS_MAX_DEFAULT = 1_000_000;
const POLICIES_MAX = 16;

export interface LimiterOptions {
  /** What the limiter is called in events and in messages. */
  readonly name: string;
  /** The policy to keep. Give this or `policies`. */
  readonly policy?: Policy | undefined;
  /** Several policies that must all agree: refused by one, a hit is counted by none. */
  readonly policies?: readonly Policy[] | undefined;
  /**
   * How many keys are kept at most, up to 16 million. Beyond that, keys that matter least are
   * forgotten first: those in which nothing counts any more, then those with the fewest hits, and
   * refused ones last.
   *
   * @default 1_000_000, some 50 MB of memory when all are in use
   */
  readonly maxKeys?: number | undefined;
  /**
   * Where time comes from; tests pass a manual one.
   *
   * @default the clock of the cluster, or else of this process
   */
  readonly clock?: Clock | undefined;
}

export interface ResolvedLimiterOptions {
  readonly name: string;
  readonly policies: readonly Policy[];
  readonly maxKeys: number;
  readonly clock: Clock;
}

export function resolveLimiterOptions(options: LimiterOptions): ResolvedLimiterOptions {
  knownOptions("createLimiter", options, ["name", "policy", "policies", "maxKeys", "clock"]);
  if (options.name === undefined) {
    throw missingOption("createLimiter", "name", "what this limiter is called, such as 'api'");
  }
  const { maxKeys = KEYS_MAX_DEFAULT } = options;
  return Object.freeze({
    name: label("name", options.name),
    policies: policiesOf(options),
    maxKeys: wholeNumber("maxKeys", maxKeys, 1, RECORDS_MAX - 1),
    clock: clockOf(options.clock),
  });
}

function policiesOf(options: LimiterOptions): readonly Policy[] {
  if (options.policy !== undefined) {
    if (options.policies === undefined) return Object.freeze([asPolicy("policy", options.policy)]);
    throw new TidegateError("TIDEGATE_OPTION_CONFLICT", "give 'policy' or 'policies', not both");
  }
  if (options.policies === undefined) {
    throw missingOption("createLimiter", "policy", "for example fixedWindow({ limit, windowMs })");
  }
  const given: unknown = options.policies;
  if (!Array.isArray(given) || given.length === 0 || given.length > POLICIES_MAX) {
    throw invalidOption("policies", `an array of 1 to ${POLICIES_MAX} policies`, given);
  }
  const policies = given.map((policy, index) => asPolicy(`policies[${index}]`, policy));
  refuseTwins(policies);
  const strict = policies.filter((policy) => policy.kind === "fixedWindow" && hasPenalties(policy));
  if (strict.length > 1) {
    throw new TidegateError(
      "TIDEGATE_OPTION_CONFLICT",
      "only one policy of a limiter may have 'restart', 'backoff', 'ban' or 'drain'",
    );
  }
  return Object.freeze(policies);
}

function refuseTwins(policies: readonly Policy[]): void {
  const names = new Set<string>();
  for (const { name } of policies) {
    if (names.has(name)) {
      throw new TidegateError(
        "TIDEGATE_OPTION_CONFLICT",
        `two policies are named ${shown(name)}: give each its own 'name'`,
      );
    }
    names.add(name);
  }
}

function clockOf(clock: unknown): Clock {
  if (clock === undefined) return systemClock;
  if (
    typeof clock === "object" &&
    clock !== null &&
    typeof Reflect.get(clock, "now") === "function"
  ) {
    return clock as Clock;
  }
  throw invalidOption("clock", "an object with a now() method", clock);
}
