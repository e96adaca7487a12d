/** The options of a limiter, with every default filled in. */

import { TidegateError } from "../base/errors.ts";
import {
  invalidOption,
  knownOptions,
  label,
  missingOption,
  oneOf,
  shown,
  wholeNumber,
} from "../base/options.ts";
import { type Cluster, hostOf } from "../cluster/cluster.ts";
import type { ReplicaHost } from "../driver/replica-host.ts";
import { hasPenalties } from "../policies/fixed-window.ts";
import { asPolicy, type Policy } from "../policies/policy.ts";
import { SEPARATED_MODES, type SeparatedMode } from "../protocol/replica.ts";
import { RECORDS_MAX } from "../store/table/record-id.ts";
import { asClock, type Clock } from "../time/clock.ts";
import { mockableClock } from "../time/mockable-clock.ts";

const KEYS_MAX_DEFAULT = 1_000_000;
const POLICIES_MAX = 16;

export interface LimiterOptions {
  /** The limiter's name in events and warnings. */
  readonly name: string;
  /** The policy of the limiter. Give this or `policies`. */
  readonly policy?: Policy | undefined;
  /** Several policies that must all allow a hit. A hit that one refuses is counted by none. */
  readonly policies?: readonly Policy[] | undefined;
  /**
   * The most keys in memory, up to 16 million. When it is reached, keys are evicted: first those in
   * which nothing counts any more, then those with the fewest hits, and refused ones last.
   *
   * @default 1_000_000, some 50 MB of memory when all are in use
   */
  readonly maxKeys?: number | undefined;
  /**
   * The source of time; tests pass a manual one.
   *
   * @default the clock of the cluster, or else of this process
   */
  readonly clock?: Clock | undefined;
  /**
   * The cluster in which limiters with this name, and policies with the same windows, count
   * together. Its clock is the limiter's.
   *
   * @default none: this process counts alone
   */
  readonly cluster?: Cluster | undefined;
  /**
   * What this process may allow while it is disconnected from replicas that it knows: all of each
   * limit, an even share of what was left, or nothing.
   *
   * @default "open"
   */
  readonly onPartition?: SeparatedMode | undefined;
}

export interface ResolvedLimiterOptions {
  readonly name: string;
  readonly policies: readonly Policy[];
  readonly maxKeys: number;
  readonly clock: Clock;
  readonly host: ReplicaHost | null;
  readonly onPartition: SeparatedMode;
}

export function resolveLimiterOptions(options: LimiterOptions): ResolvedLimiterOptions {
  knownOptions("createLimiter", options, [
    "name",
    "policy",
    "policies",
    "maxKeys",
    "clock",
    "cluster",
    "onPartition",
  ]);
  if (options.name === undefined) {
    throw missingOption("createLimiter", "name", "the name of the limiter, such as 'api'");
  }
  const { maxKeys = KEYS_MAX_DEFAULT, clock, cluster, onPartition } = options;
  if (cluster !== undefined && clock !== undefined) {
    throw new TidegateError(
      "TIDEGATE_OPTION_CONFLICT",
      "a limiter of a cluster uses the cluster's clock: give 'clock' to joinCluster",
    );
  }
  if (cluster === undefined && onPartition !== undefined) {
    throw new TidegateError("TIDEGATE_OPTION_CONFLICT", "'onPartition' needs a 'cluster'");
  }
  return Object.freeze({
    name: label("name", options.name),
    policies: policiesOf(options),
    maxKeys: wholeNumber("maxKeys", maxKeys, 1, RECORDS_MAX - 1),
    clock: asClock(clock, mockableClock),
    host: cluster === undefined ? null : hostOf(cluster),
    onPartition: oneOf("onPartition", onPartition ?? "open", SEPARATED_MODES),
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
  const expected = `an array of 1 to ${POLICIES_MAX} policies`;
  if (!Array.isArray(given)) throw invalidOption("policies", expected, given);
  if (given.length === 0 || given.length > POLICIES_MAX) {
    throw new TidegateError(
      "TIDEGATE_OPTION_INVALID",
      `'policies' must be ${expected}, got an array of ${given.length}`,
    );
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
