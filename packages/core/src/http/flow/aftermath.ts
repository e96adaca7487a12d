/**
 * The work at the end of a response: releases permits, refunds hits and charges costs that were not
 * known before.
 *
 * Each step runs once, however often the end is reported. A failure does not reach the server and
 * does not prevent the next step, because counters may be users' code. A hang-up is neither success
 * nor failure: otherwise the client could decide whether its hit counts.
 */

import type { EndListener, FollowedEnd, ResponseEnd } from "../framework.ts";
import { type Cost, isThenable } from "../user-functions.ts";
import type { Afterwards, Budget } from "./gate-plan.ts";
import { type Hit, hitOf, type RequestContext } from "./request-context.ts";

/** Waits for the end of a response. */
export function awaitEnd<Request, Response>(context: RequestContext<Request, Response>): void {
  const { plan, response } = context;
  const { framework, following } = plan;
  const aftermath = new Aftermath(context);
  const followed = framework.followEnd(response, aftermath);
  following?.set(response as object, both(following.get(response as object), followed));
}

/** A request may pass a gate twice: both passes then wait for the handler. */
function both(before: FollowedEnd | undefined, now: FollowedEnd): FollowedEnd {
  if (before === undefined) return now;
  return {
    handling(handler) {
      before.handling(handler);
      now.handling(handler);
    },
  };
}

/** The arguments of `check` and `refund` for a cost: a number, or a weight for each policy. */
export function checkArguments(
  cost: Cost,
): [number, { weights: Readonly<Record<string, number>> } | undefined] {
  return typeof cost === "number" ? [cost, undefined] : [1, { weights: cost }];
}

/**
 * The arguments of `charge` for a cost: a policy that is not named is not charged, and permits
 * never are.
 */
function chargeArguments(
  { quotas, holdsPermits }: Budget,
  cost: Cost,
): [number, { weights: Record<string, number> } | undefined] {
  if (typeof cost === "number" && !holdsPermits) return [cost, undefined];
  const weights: Record<string, number> = typeof cost === "number" ? {} : { ...cost };
  for (const { policy, isConcurrency } of quotas) {
    if (isConcurrency) weights[policy] = 0;
    else weights[policy] ??= typeof cost === "number" ? 1 : 0;
  }
  return [typeof cost === "number" ? cost : 1, { weights }];
}

class Aftermath<Request, Response> implements EndListener {
  readonly #context: RequestContext<Request, Response>;
  readonly #hits: readonly Hit[];
  readonly #afterwards: Afterwards<Request, Response> | null;
  #hasEnded = false;
  #isRefunded = false;

  constructor(context: RequestContext<Request, Response>) {
    this.#context = context;
    this.#hits = context.hits ?? [hitOf(context)];
    this.#afterwards = context.plan.afterwards;
  }

  ended(how: ResponseEnd): void {
    this.#end();
    const { refundsFailed = false, refundsHangUps = false } = this.#afterwards ?? {};
    if (how === "sent") this.#judge();
    else if (how === "failed" && refundsFailed) this.#refund();
    else if (how === "hung up" && refundsHangUps) this.#refund();
  }

  waitsForHandlerMs(): number {
    const { charge = null, countIf = null, refundsHangUps = false } = this.#afterwards ?? {};
    const isHeld = this.#hits.some(({ budget }) => budget.holdsPermits);
    const dependsOnIt = isHeld || charge !== null || countIf !== null || refundsHangUps;
    return dependsOnIt ? this.#context.plan.holdAfterHangUpMs : 0;
  }

  /** The steps at the end of every response. */
  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const { budget, key, cost, verdict } of this.#hits) {
      if (!budget.holdsPermits || !verdict.allowed) continue;
      this.#runSafely(() => budget.counter.release(key, ...checkArguments(cost)));
    }
    if (this.#hits.some(({ verdict }) => !verdict.allowed)) return;
    const { charge = null, countIf = null } = this.#afterwards ?? {};
    if (countIf !== null) {
      this.#ask(countIf, (counts) => {
        if (counts) this.#charge(null);
      });
    }
    if (charge !== null) this.#ask(charge, (cost) => this.#charge(cost));
  }

  /** Refunds by the outcome of the response. */
  #judge(): void {
    const afterwards = this.#afterwards;
    if (afterwards === null) return;
    const { refundsFailed, refundsSuccessful, wasSuccessful } = afterwards;
    if (!refundsFailed && !refundsSuccessful) return;
    this.#ask(wasSuccessful, (successful) => {
      if (successful ? refundsSuccessful : refundsFailed) this.#refund();
    });
  }

  /** @param cost the cost to charge; null for the cost of each hit */
  #charge(cost: Cost | null): void {
    for (const hit of this.#hits) {
      const { budget, key } = hit;
      const [units, options] =
        cost === null ? checkArguments(hit.cost) : chargeArguments(budget, cost);
      this.#runSafely(() => budget.counter.charge(key, units, options));
    }
  }

  #refund(): void {
    if (this.#isRefunded) return;
    this.#isRefunded = true;
    for (const { budget, key, cost, verdict } of this.#hits) {
      if (!verdict.allowed && this.#afterwards?.countsRefused !== true) continue;
      if (budget.quotas.every(({ isConcurrency }) => isConcurrency)) continue;
      const units = typeof cost === "number" ? cost : 1;
      this.#runSafely(() => budget.counter.refund(key, units, verdict));
    }
  }

  #ask<Answer>(
    question: (request: Request, response: Response) => Answer | PromiseLike<Answer>,
    then: (answer: Answer) => void,
  ): void {
    this.#runSafely(() => {
      const answer = question(this.#context.request, this.#context.response);
      if (!isThenable(answer)) return then(answer as Answer);
      return Promise.resolve(answer as PromiseLike<Answer>).then(then);
    });
  }

  /** A failure, at once or later, does not affect the other steps and hits. */
  #runSafely(step: () => unknown): void {
    try {
      const pending = step();
      if (isThenable(pending)) pending.then(undefined, (error: unknown) => this.#fail(error));
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#context.plan.warnings.say("TIDEGATE_AFTERWARDS_FAILED", "", error);
  }
}
