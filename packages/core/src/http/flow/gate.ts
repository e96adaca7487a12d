/**
 * The rate limiter in front of a web application, independent of the framework.
 *
 * An adapter makes one gate and calls it for each request. The answer is null when the request is
 * allowed, or a refusal for the adapter to send. It is a promise of either if a user's function
 * returns one.
 */

import type { Limiter } from "../../limiter/limiter.ts";
import { isThenable, run } from "../user-functions.ts";
import { type FastPath, fastPathOf } from "./fast-path.ts";
import type { GatePlan } from "./gate-plan.ts";
import { announce, type EventualOutcome, type Refusal, refusalOf, refuse } from "./refusal.ts";
import { RequestContext } from "./request-context.ts";
import { requestFlow } from "./request-flow.ts";

export { NEVER_PASSES, type RefusedBy } from "./problem.ts";
export {
  durationText,
  type EventualOutcome,
  isByLimit,
  type Outcome,
  PROBLEM_TYPE,
  type Refusal,
} from "./refusal.ts";

/**
 * How many requests a gate compares with the previous one, to find a request that passes it twice.
 */
const WATCHED = 1_024;

/** What a middleware calls for each request. */
export interface Gate<Request, Response> {
  /**
   * The limiter of requests without a window length of their own; null while a store of another
   * package counts.
   */
  readonly limiter: Limiter | null;
  /** Every limiter of this gate, including that for user names. */
  readonly limiters: readonly Limiter[];
  /**
   * Decides about a request. If `onError` is `throw`, an error of a user's function is thrown or
   * rejected.
   */
  enter(request: Request, response: Response): EventualOutcome;
  /** Reports a refusal. Call it when the refusal is prepared and, if possible, not sent yet. */
  announce(request: Request, response: Response, refusal: Refusal): void;
  /** Whether anything depends on the end of responses, so that `handling` is useful. */
  readonly followsEnds: boolean;
  /**
   * Takes the result of a request's handler, from an adapter with `showsHandlers`. If it is a
   * promise, the permits of a client that has hung up are released when it settles.
   */
  handling(response: Response, handler: unknown): void;
  /** Closes every limiter that this gate has made. */
  close(): void;
}

export class PlannedGate<Request extends object, Response> implements Gate<Request, Response> {
  readonly #plan: GatePlan<Request, Response>;
  readonly #fastPath: FastPath<Request, Response> | null;
  #watched = 0;
  #latest: Request | null = null;

  constructor(plan: GatePlan<Request, Response>) {
    this.#plan = plan;
    this.#fastPath = fastPathOf(plan);
    if (plan.onlyLooks) this.#watched = WATCHED;
  }

  get limiter(): Limiter | null {
    return this.#plan.budgets.usual.limiter;
  }

  get limiters(): readonly Limiter[] {
    const { budgets, username } = this.#plan;
    const all = username === null ? budgets.all() : [...budgets.all(), username.budget];
    return all.flatMap(({ limiter }) => (limiter === null ? [] : [limiter]));
  }

  enter(request: Request, response: Response): EventualOutcome {
    if (this.#watched < WATCHED) this.#watch(request);
    try {
      const answer =
        this.#fastPath === null
          ? run(requestFlow(new RequestContext(this.#plan, request, response)))
          : this.#fastPath(request, response);
      if (!(answer instanceof Promise) || this.#plan.onError === "throw") return answer;
      return answer.catch((error: unknown) => this.#failed(request, response, error));
    } catch (error) {
      return this.#failed(request, response, error);
    }
  }

  get followsEnds(): boolean {
    const { afterwards, budgets } = this.#plan;
    return afterwards !== null || budgets.usual.holdsPermits;
  }

  handling(response: Response, handler: unknown): void {
    if (isThenable(handler)) this.#plan.following?.get(response as object)?.handling(handler);
  }

  announce(request: Request, response: Response, refusal: Refusal): void {
    announce(this.#plan, request, response, refusal);
  }

  close(): void {
    for (const limiter of this.limiters) limiter.close();
  }

  #failed(request: Request, response: Response, error: unknown): EventualOutcome {
    const plan = this.#plan;
    if (plan.onError === "throw") throw error;
    plan.warnings.say("TIDEGATE_REQUEST_FAILED", "", error);
    if (plan.onError === "open") return null;
    const context = new RequestContext(plan, request, response);
    return refuse(context, refusalOf(context, "error"), null);
  }

  /** The same request twice in a row passes this gate twice. */
  #watch(request: Request): void {
    this.#watched++;
    if (request === this.#latest) this.#plan.warnings.say("TIDEGATE_COUNTED_TWICE");
    this.#latest = this.#watched < WATCHED ? request : null;
  }
}

/** A middleware with its limiters as properties, for blocking, resetting and inspecting keys. */
export function showLimiters<Shown extends object>(
  middleware: object,
  gate: Pick<Gate<never, never>, "limiter" | "limiters">,
): Shown {
  return Object.defineProperties(middleware, {
    limiter: { get: () => gate.limiter, enumerable: true },
    limiters: { get: () => gate.limiters, enumerable: true },
  }) as Shown;
}
