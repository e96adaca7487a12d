/**
 * The request flow in one step, for gates without users' functions: the address alone gives the
 * key, and a limiter of ours answers at once.
 *
 * It must do exactly what `requestFlow` does; `fast-path.property.test.ts` compares the two. It is
 * faster because the limiter caches the keys of frequent clients.
 */

import type { HotClient } from "../../limiter/hot-clients.ts";
import { StoreLimiter } from "../../limiter/store-limiter.ts";
import type { Ipv6Subnet } from "../client/client-address.ts";
import type { GatePlan } from "./gate-plan.ts";
import { type EventualOutcome, refusalOf, refuse, retryAfterOf } from "./refusal.ts";
import { RequestContext } from "./request-context.ts";
import { followEnd, isPreflight, turnOf, writeFields } from "./request-flow.ts";

const ownCheck = StoreLimiter.prototype.check;

/** What all requests of a plan share. */
interface Constants {
  readonly limiter: StoreLimiter;
  readonly subnet: Ipv6Subnet;
  readonly cost: number;
}

export class FastPath<Request, Response> {
  readonly #plan: GatePlan<Request, Response>;
  readonly #constants: Constants;
  /** Whether an allowed request needs no fields and no work at its end. */
  readonly #leavesNoTrace: boolean;

  private constructor(plan: GatePlan<Request, Response>, constants: Constants) {
    this.#plan = plan;
    this.#constants = constants;
    const { afterwards, onVerdict, budgets } = plan;
    const { fields, holdsPermits } = budgets.usual;
    this.#leavesNoTrace =
      afterwards === null && onVerdict === null && fields === null && !holdsPermits;
  }

  /** The fast path of a plan; null where the plan needs `requestFlow`. */
  static of<Request, Response>(
    plan: GatePlan<Request, Response>,
  ): FastPath<Request, Response> | null {
    const { counter, limiter } = plan.budgets.usual;
    const { skip, key, subnet, block, allow, windowMs, limit, cost, username } = plan;
    const { identifier, partition, retryAfter, afterwards } = plan;
    const before = [skip, key, block, allow, windowMs, limit, username];
    const after = [identifier, partition, afterwards?.countIf ?? null];
    if ([...before, ...after].some((asked) => asked !== null)) return null;
    if (typeof subnet === "function" || typeof cost === "function") return null;
    if (typeof retryAfter === "function" || !plan.enforces) return null;
    if (counter !== limiter || !(limiter instanceof StoreLimiter)) return null;
    return new FastPath(plan, { limiter, subnet, cost });
  }

  go(request: Request, response: Response): EventualOutcome {
    const plan = this.#plan;
    const { client } = plan;
    const { limiter, subnet, cost } = this.#constants;
    if (plan.letsPreflightsPass && isPreflight(plan.framework, request)) return null;

    const text = client.text(request);
    // If the user replaced `limiter.check`, the replacement is called.
    const isOwn = limiter.check === ownCheck;
    const known = text !== undefined && isOwn ? limiter.hotClients.find(text) : undefined;
    if (known !== undefined) client.watch(request);
    const key = known === undefined ? client.key(request, subnet, text) : known.key;
    if (key === null) return null;

    const verdict =
      known === undefined ? limiter.check(key, cost) : limiter.checkKnown(known, cost);
    if (known === undefined && text !== undefined && isOwn) {
      limiter.hotClients.missed(text, this.#read);
    }
    if (this.#leavesNoTrace && verdict.allowed && verdict.waitMs === 0) return null;

    const context = new RequestContext(plan, request, response);
    context.key = key;
    context.cost = cost;
    context.verdict = verdict;
    followEnd(context);
    writeFields(context);
    if (verdict.allowed) return turnOf(context) as EventualOutcome;
    const refusal = refusalOf(context, verdict.reason ?? "limit");
    return refuse(context, refusal, retryAfterOf(context, refusal));
  }

  readonly #read = (text: string): HotClient | undefined => {
    const { limiter, subnet } = this.#constants;
    const key = this.#plan.client.keyOf(text, subnet);
    return key === null ? undefined : limiter.know(key);
  };
}
