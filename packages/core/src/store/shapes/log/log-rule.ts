/** The sliding log: every hit until it is one window old. */

import type { SlidingLogPolicy } from "../../../policies/sliding-log.ts";
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

  read(id: number, _low: number, now: number): void {
    this.#id = id;
    this.#now = now;
    this.#shape.read(id, now);
    this.held = this.#shape.hits;
  }

  msUntilAtMost(target: number): number {
    return this.#shape.msUntilAtMost(this.#id, target, this.#now);
  }

  msUntilEmptyAfter(cost: number): number {
    if (cost > 0) return this.policy.windowMs;
    return this.held > 0 ? this.msUntilAtMost(0) : 0;
  }

  add(id: number, cost: number): void {
    this.#shape.add(id, cost, this.#now);
  }

  refuse(): void {}

  ticket(id: number): number {
    return this.#shape.ticket(id, this.#now);
  }

  refund(id: number, ticket: number, cost: number, now: number): number {
    return this.#shape.refund(id, ticket, cost, now);
  }
}
