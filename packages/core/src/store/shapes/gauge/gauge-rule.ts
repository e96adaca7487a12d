/** Concurrency: permits that are held until they are released. */

import type { ConcurrencyPolicy } from "../../../policies/concurrency.ts";
import { numberOf, type RecordId } from "../../table/record-id.ts";
import type { Rule } from "../rule.ts";
import type { GaugeShape } from "./gauge-shape.ts";

export class GaugeRule implements Rule {
  readonly policy: ConcurrencyPolicy;
  readonly scale = 1;
  readonly slack = 0;
  readonly maxWaitMs = 0;
  readonly refusals = 0;
  readonly opens = false;
  held = 0;

  readonly #shape: GaugeShape;

  constructor(policy: ConcurrencyPolicy, shape: GaugeShape) {
    this.policy = policy;
    this.#shape = shape;
  }

  read(id: RecordId): void {
    this.#shape.read(numberOf(id));
    this.held = this.#shape.held;
  }

  msUntilAtMost(target: number): number {
    return this.held <= target ? 0 : Number.POSITIVE_INFINITY;
  }

  msUntilEmptyAfter(cost: number): number {
    return this.held + cost > 0 ? Number.POSITIVE_INFINITY : 0;
  }

  add(id: RecordId, cost: number): void {
    this.#shape.add(numberOf(id), cost);
  }

  refuse(): void {}

  ticket(): number {
    return 0;
  }

  /** Neither time nor a refund releases a permit: only `release` does. */
  refund(): number {
    return 0;
  }

  /** Releases permits; returns how many of `cost` this process did hold. */
  release(id: RecordId, cost: number): number {
    return this.#shape.give(numberOf(id), cost);
  }
}
