/**
 * Reads what a caller passes with one call: a key, a cost, and limits or weights for this call
 * alone.
 *
 * Mistakes here are the programmer's, so they throw. Nothing that a client can influence throws, as
 * long as the caller passes strings or bytes for keys.
 */

import { TidegateError } from "../base/errors.ts";
import { flag, invalidOption, knownOptions, shown, wholeNumber } from "../base/options.ts";
import { limitMax } from "../policies/bounds.ts";
import type { Policy } from "../policies/policy.ts";

/** Options of one call, which replace those of the limiter. */
export interface CallOptions {
  /**
   * Another limit, for example that of the user's plan. With several policies, give one by name for
   * each policy that differs. Counts do not depend on the limit, so it may differ from call to
   * call.
   */
  readonly limit?: number | Readonly<Record<string, number>> | undefined;
  /**
   * How often the cost counts for a policy, by its name: `{ tokens: 850 }` makes a hit of cost 1
   * take 850 from the policy named `tokens`. 0 leaves a policy out of this call.
   *
   * @default 1 for every policy
   */
  readonly weights?: Readonly<Record<string, number>> | undefined;
  /**
   * Whether the caller refuses the request when the decision does. Only the decision's event
   * reports it.
   *
   * @default true
   */
  readonly enforced?: boolean | undefined;
}

/** Options of a release. */
export interface ReleaseOptions {
  /** The weights of the hit whose permits are released, as passed to `check`. */
  readonly weights?: CallOptions["weights"];
}

/** Returns a key that can be fingerprinted, and throws otherwise. */
export function checkKey(key: unknown): asserts key is string | Uint8Array {
  if (typeof key === "string") return;
  // Not `instanceof`: test runners bring typed arrays of another realm.
  if (ArrayBuffer.isView(key) && Reflect.get(key, Symbol.toStringTag) === "Uint8Array") return;
  const hint = Array.isArray(key)
    ? ": to combine several parts, use 'compositeKey' of the package for your framework"
    : typeof key === "number"
      ? ": write String(key)"
      : "";
  throw new TidegateError(
    "TIDEGATE_KEY_INVALID",
    `a key must be a string or a Uint8Array, got ${shown(key)}${hint}`,
  );
}

export function checkCost(cost: unknown): void {
  if (Number.isSafeInteger(cost) && (cost as number) >= 0) return;
  throw new TidegateError(
    "TIDEGATE_COST_INVALID",
    `a cost must be a whole number from 0 to 2^53 - 1, got ${shown(cost)}`,
  );
}

/** The limits and costs of one call, one of each per policy; `read` fills them for each call. */
export class Call {
  readonly limits: number[];
  readonly costs: number[];
  /** The weights that made the costs, one per policy; null when every policy has weight 1. */
  weights: readonly number[] | null = null;
  enforced = true;
  readonly #policies: readonly Policy[];
  readonly #names: readonly string[];

  constructor(policies: readonly Policy[]) {
    this.#policies = policies;
    this.#names = policies.map((policy) => policy.name);
    this.limits = policies.map((policy) => policy.limit);
    this.costs = policies.map(() => 1);
  }

  read(cost: number, options: CallOptions | undefined): void {
    // Reading the caller's options may run code that calls this limiter, so they are copied first.
    const given = options === undefined ? undefined : copied(options);
    const { limits, costs } = this;
    this.weights = null;
    this.enforced = true;
    for (let index = 0; index < limits.length; index++) {
      limits[index] = this.#policies[index]!.limit;
      costs[index] = cost;
    }
    if (given === undefined) return;
    const { limit, weights, enforced = true } = given;
    this.enforced = flag("enforced", enforced);
    if (limit !== undefined) this.#readLimits(limit);
    if (weights !== undefined) this.#readWeights(cost, weights);
  }

  #readLimits(limit: number | Readonly<Record<string, number>>): void {
    if (typeof limit !== "object") {
      const only = wholeNumber("limit", limit, 0, limitMax(this.#policies[0]!));
      if (this.limits.length === 1) {
        this.limits[0] = only;
        return;
      }
      throw invalidOption("limit", `limits by policy, such as { ${this.#names[0]}: 10 }`, limit);
    }
    knownOptions("'limit'", limit, this.#names);
    for (const name of Object.keys(limit)) {
      const given = limit[name];
      if (given === undefined) continue;
      const index = this.#names.indexOf(name);
      const most = limitMax(this.#policies[index]!);
      this.limits[index] = wholeNumber(`limit.${name}`, given, 0, most);
    }
  }

  #readWeights(cost: number, weights: Readonly<Record<string, number>>): void {
    knownOptions("'weights'", weights, this.#names);
    const byPolicy = this.#names.map(() => 1);
    for (const name of Object.keys(weights)) {
      const given = weights[name];
      if (given === undefined) continue;
      const index = this.#names.indexOf(name);
      byPolicy[index] = wholeNumber(`weights.${name}`, given, 0);
      this.costs[index] = cost * byPolicy[index];
      checkCost(this.costs[index]);
    }
    this.weights = byPolicy;
  }
}

/** The present values of a call's options, without getters. */
function copied(options: CallOptions): CallOptions {
  const given: CallOptions = options;
  knownOptions("the call", options, ["limit", "weights", "enforced"]);
  const { limit, weights, enforced } = given;
  return { limit: withoutCode(limit), weights: withoutCode(weights), enforced };
}

function withoutCode<Given>(given: Given): Given {
  return typeof given === "object" && given !== null && !Array.isArray(given)
    ? { ...given }
    : given;
}
