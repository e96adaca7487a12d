/**
 * What a response's end decides: permits released, hits refunded, costs charged that were not known
 * before.
 *
 * Node emits several events for one end. Each thing is done at the first of them and never again, and
 * nothing that fails here reaches the server, nor keeps the next thing from being done: counters may be
 * code of users. A response may have ended before this listens, and then it is done at once.
 *
 * A client that hangs up ends the response, and not the handler, which goes on with its work. So nothing is
 * released or refunded before the handler is done, or `holdAfterHangUpMs` has passed. A hang-up is neither
 * success nor failure, since the client alone decides about it.
 */

import type { ShownKey } from "../client/client-key.ts";
import type { ResponseEvents } from "../framework.ts";
import { isThenable } from "../maybe-promise.ts";
import {
  awaitHandler,
  isClosedHere,
  isDestroyedHere,
  isOver,
  isUpgraded,
  whenClosed,
} from "../node/hang-up.ts";
import type { Verdict } from "../verdict.ts";
import type { Budget } from "./budget.ts";
import type { Afterwards, Cost, Following, GatePlan } from "./gate-plan.ts";
import { type Hit, hitOf, type RequestContext } from "./request-context.ts";

/**
 * Begins to wait for the end of a response if something depends on it, and tells the adapter of the verdict.
 * The adapter comes second: if it throws, the end of the response gives back what was taken.
 */
export function followEnd<Request, Response>(context: RequestContext<Request, Response>): void {
  const { plan, request, response, budget, key } = context;
  const { afterwards, following, onVerdict } = plan;
  const verdict = context.verdict as Verdict;
  const isFollowed = verdict.allowed
    ? afterwards !== null || budget.holdsPlaces
    : afterwards?.countsRefused === true;
  if (isFollowed) {
    const before = following?.get(response as object) ?? null;
    const aftermath = new Aftermath(context, context.hits ?? [hitOf(context)], before);
    following?.set(response as object, aftermath);
    aftermath.begin();
  }
  onVerdict?.(request, response, verdict, key as ShownKey);
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

class Aftermath<Request, Response> implements Following {
  readonly #plan: GatePlan<Request, Response>;
  readonly #request: Request;
  readonly #response: Response;
  readonly #hits: readonly Hit[];
  readonly #afterwards: Afterwards<Request, Response> | null;
  /** What follows from an earlier pass of the same request. */
  readonly #before: Following | null;
  #hasEnded = false;
  #isRefunded = false;
  /** Whether the framework tells when the handler is done. */
  #isTold = false;
  #isHandled = false;
  /** Ends the wait for the handler of a client that has hung up. */
  #stopWaiting: (() => void) | null = null;
  /** Forgets the connection on which the response waits for its turn. */
  #stopWatching: (() => void) | null = null;

  constructor(
    { plan, request, response }: RequestContext<Request, Response>,
    hits: readonly Hit[],
    before: Following | null,
  ) {
    this.#plan = plan;
    this.#request = request;
    this.#response = response;
    this.#hits = hits;
    this.#afterwards = plan.afterwards;
    this.#before = before;
  }

  begin(): void {
    const events = this.#plan.framework.events(this.#response);
    // Before a user's function has answered a client may be gone, and no event comes twice.
    if (isOver(events)) {
      this.#finished(events);
      return;
    }
    events.on("finish", () => this.#finished(events));
    events.on("close", () => this.#closed(events));
    events.on("error", () => {
      // What is written after a hang-up fails, and the handler may still write more.
      if (events.destroyed === true && !events.writableEnded) return;
      this.#end();
      this.#refundFailed();
    });
    const connection = events.socket === null ? events.req?.socket : null;
    if (connection) this.#stopWatching = whenClosed(connection, () => this.#closed(events));
  }

  handling(handler: PromiseLike<unknown>): void {
    this.#before?.handling(handler);
    this.#isTold = true;
    const handled = (): void => {
      this.#isHandled = true;
      this.#stopWaiting?.();
    };
    handler.then(handled, handled);
  }

  #finished(events: ResponseEvents): void {
    // HTTP/2 says that a response has finished whose client has hung up.
    if (events.writableEnded) {
      this.#end();
      this.#judge();
    } else this.#closed(events);
  }

  #closed(events: ResponseEvents): void {
    if (this.#hasEnded || this.#stopWaiting !== null) return;
    if (events.writableEnded) this.#end();
    else if (isClosedHere(events)) {
      this.#end();
      this.#refundFailed();
    } else if (this.#isDone(events) || !this.#holds()) {
      this.#hungUp();
    } else {
      const isTold = (): boolean => this.#isTold;
      const { holdAfterHangUpMs } = this.#plan;
      this.#stopWaiting = awaitHandler(events, holdAfterHangUpMs, isTold, () => this.#hungUp());
    }
  }

  /** Whether there is no handler to wait for, its client gone or not. */
  #isDone(events: ResponseEvents): boolean {
    return this.#isHandled || isUpgraded(events) || (!this.#isTold && isDestroyedHere(events));
  }

  /** Whether there is anything to do once the handler of a client that has hung up is done. */
  #holds(): boolean {
    const { charge = null, countIf = null, refundsHangUps = false } = this.#afterwards ?? {};
    if (charge !== null || countIf !== null || refundsHangUps) return true;
    return this.#hits.some(({ budget }) => budget.holdsPlaces);
  }

  #hungUp(): void {
    this.#end();
    if (this.#afterwards?.refundsHangUps === true) this.#refund();
  }

  #refundFailed(): void {
    if (this.#afterwards?.refundsFailed === true) this.#refund();
  }

  /** What is done at the end of every response, however it came. */
  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#stopWatching?.();
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
      else this.#await(Promise.resolve(answer as PromiseLike<Answer>).then(then));
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
