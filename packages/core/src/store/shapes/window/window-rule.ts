/** Fixed windows that open with a key's first hit. */

import type { FixedWindowPolicy } from "../../../policies/fixed-window.ts";
import { numberOf, type RecordId } from "../../table/record-id.ts";
import type { Rule } from "../rule.ts";
import type { WindowShape } from "./window-shape.ts";

export class WindowRule implements Rule {
  readonly policy: FixedWindowPolicy;
  readonly scale = 1;
  readonly slack = 0;
  readonly maxWaitMs = 0;
  held = 0;

  readonly #shape: WindowShape;
  #id = 0;
  #now = 0;

  constructor(policy: FixedWindowPolicy, shape: WindowShape) {
    this.policy = policy;
    this.#shape = shape;
  }

  get opens(): boolean {
    return this.#shape.endsAt === 0;
  }

  get refusals(): number {
    return this.#shape.refusals;
  }

  read(id: RecordId, _low: number, now: number): void {
    this.#id = numberOf(id);
    this.#now = now;
    this.#shape.read(numberOf(id), now);
    this.held = this.#shape.hits;
  }

  msUntilAtMost(target: number): number {
    return this.#shape.msUntilAtMost(this.#id, target, 0, this.#now);
  }

  msUntilEmptyAfter(cost: number): number {
    if (this.#shape.endsAt !== 0) return this.held + cost > 0 ? this.#shape.endsAt - this.#now : 0;
    return cost > 0 ? this.policy.windowMs : 0;
  }

  add(id: RecordId, cost: number): void {
    this.#shape.add(numberOf(id), cost, this.#now);
  }

  refuse(id: RecordId): void {
    this.#shape.refuse(numberOf(id), 1, this.#now);
  }

  ticket(id: RecordId): number {
    return this.#shape.ticket(numberOf(id));
  }

  refund(id: RecordId, ticket: number, cost: number, now: number): number {
    return this.#shape.refund(numberOf(id), ticket, cost, now);
  }
}
