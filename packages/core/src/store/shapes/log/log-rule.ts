/** The sliding log: every hit until it is one window old. */

import type { SlidingLogPolicy } from "../../../policies/sliding-log.ts";
import { numberOf, type RecordId } from "../../table/record-id.ts";
import type { Rule } from "../rule.ts";
import type { LogShape } from "./log-shape.ts";

export class LogRule implements Rule {
  readonly policy: SlidingLogPolicy;
  readonly scale = 1;
  readonly slack = 0;
  readonly maxWaitMs = 0;
  readonly refusals = 0;
  readonly opens = false;
  held = 0;

  readonly #shape: LogShape;
  #id = 0;
  #now = 0;

  constructor(policy: SlidingLogPolicy, shape: LogShape) {
    this.policy = policy;
    this.#shape = shape;
  }

  read(id: RecordId, _low: number, now: number): void {
    this.#id = numberOf(id);
    this.#now = now;
    this.#shape.read(numberOf(id), now);
    this.held = this.#shape.hits;
  }

  msUntilAtMost(target: number): number {
    return this.#shape.msUntilAtMost(this.#id, target, this.#now);
  }

  msUntilEmptyAfter(cost: number): number {
    if (cost > 0) return this.policy.windowMs;
    return this.held > 0 ? this.msUntilAtMost(0) : 0;
  }

  add(id: RecordId, cost: number): void {
    this.#shape.add(numberOf(id), cost, this.#now);
  }

  refuse(): void {}

  ticket(id: RecordId): number {
    return this.#shape.ticket(numberOf(id), this.#now);
  }

  refund(id: RecordId, ticket: number, cost: number, now: number): number {
    return this.#shape.refund(numberOf(id), ticket, cost, now);
  }
}
