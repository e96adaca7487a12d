/** Fixed windows that start at fixed instants: aligned ones and those of a calendar. */

import type { FixedWindowPolicy } from "../../../policies/fixed-window.ts";
import type { Rule } from "../rule.ts";
import type { AlignedShape } from "./aligned-shape.ts";

export class AlignedRule implements Rule {
  readonly policy: FixedWindowPolicy;
  readonly scale = 1;
  readonly slack = 0;
  readonly maxWaitMs = 0;
  readonly opens = false;
  held = 0;

  readonly #shape: AlignedShape;
  #clusterNow = 0;

  constructor(policy: FixedWindowPolicy, shape: AlignedShape) {
    this.policy = policy;
    this.#shape = shape;
  }

  get refusals(): number {
    return this.#shape.refusals;
  }

  read(id: number, low: number, _now: number, clusterNow: number): void {
    this.#clusterNow = clusterNow;
    this.#shape.read(id, clusterNow, low);
    this.held = this.#shape.hits;
  }

  msUntilAtMost(target: number): number {
    return this.held <= target ? 0 : this.#shape.endsAt - this.#clusterNow;
  }

  msUntilEmptyAfter(cost: number): number {
    return this.held + cost > 0 ? this.#shape.endsAt - this.#clusterNow : 0;
  }

  add(id: number, cost: number): void {
    this.#shape.add(id, cost);
  }

  refuse(id: number): void {
    this.#shape.refuse(id, 1);
  }

  ticket(id: number): number {
    return this.#shape.ticket(id);
  }

  refund(id: number, ticket: number, cost: number, _now: number, clusterNow: number): number {
    return this.#shape.refund(id, ticket, cost, clusterNow);
  }
}
