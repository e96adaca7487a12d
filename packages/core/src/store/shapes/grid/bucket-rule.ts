/** The token bucket and the leaky bucket: a level that falls at a steady rate. */

import type { LeakyBucketPolicy } from "../../../policies/leaky-bucket.ts";
import type { TokenBucketPolicy } from "../../../policies/token-bucket.ts";
import { numberOf, type RecordId } from "../../table/record-id.ts";
import type { Rule } from "../rule.ts";
import { LEVEL_SCALE, LEVEL_SLACK } from "./bucket-level.ts";
import type { GridShape } from "./grid-shape.ts";

export class BucketRule implements Rule {
  readonly policy: TokenBucketPolicy | LeakyBucketPolicy;
  readonly scale: number = LEVEL_SCALE;
  readonly slack: number = LEVEL_SLACK;
  readonly maxWaitMs: number;
  readonly refusals = 0;
  readonly opens = false;
  held = 0;

  readonly #shape: GridShape;
  #clusterNow = 0;

  constructor(policy: TokenBucketPolicy | LeakyBucketPolicy, shape: GridShape) {
    this.policy = policy;
    this.maxWaitMs = policy.kind === "leakyBucket" ? policy.maxWaitMs : 0;
    this.#shape = shape;
  }

  read(id: RecordId, _low: number, _now: number, clusterNow: number): void {
    this.#clusterNow = clusterNow;
    this.#shape.read(numberOf(id), clusterNow);
    this.held = this.#shape.level;
  }

  msUntilAtMost(target: number): number {
    return this.#shape.msUntilLevel(this.held, target, this.#clusterNow);
  }

  msUntilEmptyAfter(cost: number): number {
    return this.#shape.msUntilLevel(this.held + cost * LEVEL_SCALE, 0, this.#clusterNow);
  }

  add(id: RecordId, cost: number): void {
    this.#shape.add(numberOf(id), cost);
  }

  refuse(): void {}

  ticket(id: RecordId): number {
    return this.#shape.ticket(numberOf(id));
  }

  refund(
    id: RecordId,
    ticket: number,
    cost: number,
    _now: number,
    clusterNow: number,
    isHeld: boolean,
  ): number {
    return this.#shape.refund(numberOf(id), ticket, cost, clusterNow, isHeld);
  }
}
