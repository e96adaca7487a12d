/**
 * What a response's end decides: places given back, hits refunded, costs charged that were not known
 * before.
 *
 * Node tells of an end more than once, and of a broken connection in several ways. Each thing is done
 * at the first of them and never again, and nothing that fails here reaches the server, nor keeps the
 * next thing from being done: counters are other people's code, too. A response may have ended before
 * anybody began to wait for that, and then it is done at once.
 */

import type { Budget } from "./budget.ts";
import type { Key } from "./client-key.ts";
import type { ResponseEvents } from "./framework.ts";
import type { Afterwards, Cost, GatePlan } from "./gate-plan.ts";
import { isThenable } from "./thenable.ts";
import type { Verdict } from "./verdict.ts";

/** A hit that one exchange has counted, or with `countIf` would count. */
export interface Hit {
  readonly budget: Budget;
  readonly key: Key;
  readonly cost: Cost;
  readonly verdict: Verdict;
}

/** Begins to wait for the end of a response that something depends on. */
export function awaitEnd<Request, Response>(
  plan: GatePlan<Request, Response>,
  request: Request,
  response: Response,
  hits: readonly Hit[],
): void {
  new Aftermath(plan, request, response, hits).begin();
}

/** How a cost is told to a counter, also to give it back: as a number, or as a weight for each policy. */
export function checkArguments(
  cost: Cost,
): [number, { weights: Readonly<Record<string, number>> } | undefined] {
  return typeof cost === "number" ? [cost, undefined] : [1, { weights: cost }];
}

/** How a charge is told: a policy that is not named is not charged, and places never are. */
function chargeArguments(
  { quotas, holdsPlaces }: Budget,
  cost: Cost,
): [number, { weights: Record<string, number> } | undefined] {
  if (typeof cost === "number" && !holdsPlaces) return [cost, undefined];
  const weights: Record<string, number> = typeof cost === "number" ? {} : { ...cost };
  for (const { policy, unit } of quotas) {
    if (unit !== null) weights[policy] = 0;
    else weights[policy] ??= typeof cost === "number" ? 1 : 0;
  }
  return [typeof cost === "number" ? cost : 1, { weights }];
}

/** Whether a response has ended, so that its events may be over. */
function isOver({ writableFinished, destroyed, stream }: ResponseEvents): boolean {
  return writableFinished === true || destroyed === true || stream?.destroyed === true;
}

class Aftermath<Request, Response> {
  readonly #plan: GatePlan<Request, Response>;
  readonly #request: Request;
  readonly #response: Response;
  readonly #hits: readonly Hit[];
  readonly #afterwards: Afterwards<Request, Response> | null;
  #hasEnded = false;
  #isRefunded = false;

  constructor(
    plan: GatePlan<Request, Response>,
    request: Request,
    response: Response,
    hits: readonly Hit[],
  ) {
    this.#plan = plan;
    this.#request = request;
    this.#response = response;
    this.#hits = hits;
    this.#afterwards = plan.afterwards;
  }

  begin(): void {
    const events = this.#plan.framework.events(this.#response);
    // Before a user's function has answered a client may be gone, and no end is told of twice.
    if (isOver(events)) {
      if (events.writableEnded) this.#finished();
      else this.#closed(events);
      return;
    }
    events.on("finish", () => this.#finished());
    events.on("close", () => this.#closed(events));
    events.on("error", () => {
      this.#end();
      if (this.#afterwards?.refundsFailed === true) this.#refund();
    });
  }

  #finished(): void {
    this.#end();
    this.#judge();
  }

  #closed({ writableEnded }: ResponseEvents): void {
    this.#end();
    if (!writableEnded && this.#afterwards?.refundsFailed === true) this.#refund();
  }

  /** What is done at the end of every response, however it came. */
  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const { budget, key, cost, verdict } of this.#hits) {
      if (!budget.holdsPlaces || !verdict.allowed) continue;
      this.#tell(() => budget.counter.release(key, ...checkArguments(cost)));
    }
    if (this.#hits.some(({ verdict }) => !verdict.allowed)) return;
    const { charge = null, countIf = null } = this.#afterwards ?? {};
    if (countIf !== null) {
      this.#safely(countIf, (counts) => {
        if (counts) this.#charge(null);
      });
    }
    if (charge !== null) this.#safely(charge, (cost) => this.#charge(cost));
  }

  /** Refunds by how the response turned out. */
  #judge(): void {
    const afterwards = this.#afterwards;
    if (afterwards === null) return;
    const { refundsFailed, refundsSuccessful, wasSuccessful } = afterwards;
    if (!refundsFailed && !refundsSuccessful) return;
    this.#safely(wasSuccessful, (successful) => {
      if (successful ? refundsSuccessful : refundsFailed) this.#refund();
    });
  }

  /** @param cost what to charge; null for what each hit would have cost */
  #charge(cost: Cost | null): void {
    for (const hit of this.#hits) {
      const { budget, key } = hit;
      const [units, options] =
        cost === null ? checkArguments(hit.cost) : chargeArguments(budget, cost);
      this.#tell(() => budget.counter.charge(key, units, options));
    }
  }

  #refund(): void {
    if (this.#isRefunded) return;
    this.#isRefunded = true;
    for (const { budget, key, cost, verdict } of this.#hits) {
      if (!verdict.allowed && this.#afterwards?.countsRefused !== true) continue;
      if (budget.quotas.every(({ unit }) => unit !== null)) continue;
      const units = typeof cost === "number" ? cost : 1;
      this.#tell(() => budget.counter.refund(key, units, verdict));
    }
  }

  /** Tells a counter of one hit; that it fails is nothing to the other hits. */
  #tell(count: () => unknown): void {
    try {
      this.#await(count());
    } catch (error) {
      this.#fail(error);
    }
  }

  #safely<Answer>(
    ask: (request: Request, response: Response) => Answer | PromiseLike<Answer>,
    then: (answer: Answer) => void,
  ): void {
    try {
      const answer = ask(this.#request, this.#response);
      if (!isThenable(answer)) then(answer as Answer);
      else this.#await((answer as PromiseLike<Answer>).then(then));
    } catch (error) {
      this.#fail(error);
    }
  }

  #await(pending: unknown): void {
    if (isThenable(pending)) pending.then(undefined, (error: unknown) => this.#fail(error));
  }

  #fail(error: unknown): void {
    this.#plan.warnings.say("TIDEGATE_AFTERWARDS_FAILED", "", error);
  }
}
