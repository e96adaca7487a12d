/** The sliding window: full slots, and the part of the oldest one that is still inside. */

import type { SlidingWindowPolicy } from "../../../policies/sliding-window.ts";
import { numberOf, type RecordId } from "../../table/record-id.ts";
import type { Rule } from "../rule.ts";
import type { GridShape } from "./grid-shape.ts";

export class SlidingRule implements Rule {
  readonly policy: SlidingWindowPolicy;
  /** A hit is as many units as a slot has milliseconds, so a part of a slot is a whole number. */
  readonly scale: number;
  readonly slack = 0;
  readonly maxWaitMs = 0;
  readonly refusals = 0;
  readonly opens = false;
  held = 0;

  readonly #shape: GridShape;
  #id = 0;
  #clusterNow = 0;

  constructor(policy: SlidingWindowPolicy, shape: GridShape) {
    this.policy = policy;
    this.scale = policy.windowMs / policy.slots;
    this.#shape = shape;
  }

  read(id: RecordId, _low: number, _now: number, clusterNow: number): void {
    this.#id = numberOf(id);
    this.#clusterNow = clusterNow;
    const shape = this.#shape;
    shape.read(numberOf(id), clusterNow);
    const leftMs = shape.slotEndsAt - clusterNow;
    this.held = shape.hits * this.scale + shape.trailing * leftMs;
  }

  msUntilAtMost(target: number): number {
    return this.#shape.msUntilAtMost(this.#id, target / this.scale, this.#clusterNow);
  }

  msUntilEmptyAfter(cost: number): number {
    if (cost === 0) return this.held === 0 ? 0 : this.msUntilAtMost(0);
    return this.#shape.slotEndsAt + this.policy.windowMs - this.#clusterNow;
  }

  add(id: RecordId, cost: number): void {
    this.#shape.add(numberOf(id), cost);
  }

  refuse(): void {}

  ticket(id: RecordId): number {
    return this.#shape.ticket(numberOf(id));
  }

  refund(id: RecordId, ticket: number, cost: number, _now: number, clusterNow: number): number {
    return this.#shape.refund(numberOf(id), ticket, cost, clusterNow, false);
  }
}
