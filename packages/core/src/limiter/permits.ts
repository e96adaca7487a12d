/**
 * The permits of a limiter's concurrency policies. A release gives back as many of each as the hit
 * acquired with its weights.
 */

import { knownOptions } from "../base/options.ts";
import type { Policy } from "../policies/policy.ts";
import type { Rule } from "../store/shapes/make-rule.ts";
import type { RecordId } from "../store/table/record-id.ts";
import { Call, type CallOptions, type ReleaseOptions } from "./call.ts";

export class Permits {
  readonly #rules: readonly Rule[];
  readonly #call: Call;
  /** Whether any policy has permits. */
  readonly exist: boolean;

  constructor(rules: readonly Rule[], policies: readonly Policy[]) {
    this.#rules = rules;
    this.#call = new Call(policies);
    this.exist = rules.some(({ releasePermits }) => releasePermits !== undefined);
  }

  /** Whether every policy has permits. */
  get areAll(): boolean {
    return this.#rules.every(({ releasePermits }) => releasePermits !== undefined);
  }

  /** Reads what the next release gives back, before its key is looked up. */
  read(cost: number, options: ReleaseOptions | undefined): void {
    const given: CallOptions | undefined = options;
    if (options !== undefined) knownOptions("the release", options, ["weights"]);
    this.#call.read(cost, given);
  }

  /** Releases the permits; returns whether any were held. */
  release(id: RecordId): boolean {
    let released = 0;
    this.#rules.forEach((rule, index) => {
      released += rule.releasePermits?.(id, this.#call.costs[index]!) ?? 0;
    });
    return released > 0;
  }
}
