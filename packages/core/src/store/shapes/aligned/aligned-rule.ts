/** Fixed windows that start at fixed instants: aligned ones and those of a calendar. */

import type { FixedWindowPolicy } from "../../../policies/fixed-window.ts";
import { numberOf, type RecordId } from "../../table/record-id.ts";
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

  read(id: RecordId, low: number, _now: number, clusterNow: number): void {
    this.#clusterNow = clusterNow;
    this.#shape.read(numberOf(id), clusterNow, low);
    this.held = this.#shape.hits;
  }

  msUntilAtMost(target: number): number {
    return this.held <= target ? 0 : this.#shape.endsAt - this.#clusterNow;
  }

  msUntilEmptyAfter(cost: number): number {
    return this.held + cost > 0 ? this.#shape.endsAt - this.#clusterNow : 0;
  }

  add(id: RecordId, cost: number): void {
    this.#shape.add(numberOf(id), cost);
  }

  refuse(id: RecordId): void {
    this.#shape.refuse(numberOf(id), 1);
  }

  ticket(id: RecordId): number {
    return this.#shape.ticket(numberOf(id));
  }

  refund(id: RecordId, ticket: number, cost: number, _now: number, clusterNow: number): number {
    return this.#shape.refund(numberOf(id), ticket, cost, clusterNow);
  }
}
