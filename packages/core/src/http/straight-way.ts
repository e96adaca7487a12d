/**
 * The whole way of a request through most gates, in one step: nothing but its address decides what it
 * is counted for, and a limiter of ours answers at once.
 *
 * A passage would do the same, in as many calls as it has questions to ask, and it remembers nobody.
 */

import type { Regular } from "../limiter/regulars.ts";
import { StoreLimiter } from "../limiter/store-limiter.ts";
import type { Ipv6Subnet } from "./address-key.ts";
import { conclude, isFollowed } from "./conclude.ts";
import { isPreflight } from "./cors.ts";
import type { GatePlan } from "./gate-plan.ts";
import type { Passing } from "./refusal.ts";

const ownCheck = StoreLimiter.prototype.check;

/** What all requests of a plan have in common. */
interface Usual {
  readonly limiter: StoreLimiter;
  readonly subnet: Ipv6Subnet;
  readonly cost: number;
}

export class StraightWay<Request, Response> {
  readonly #plan: GatePlan<Request, Response>;
  readonly #usual: Usual;

  constructor(plan: GatePlan<Request, Response>, usual: Usual) {
    this.#plan = plan;
    this.#usual = usual;
  }

  go(request: Request, response: Response): Passing {
    const plan = this.#plan;
    if (plan.letsPreflightsPass && isPreflight(plan.framework, request)) return null;
    const { client } = plan;
    const { limiter, subnet, cost } = this.#usual;
    const text = client.text(request);
    // Whoever has put a function of his own in its place wants that to be asked.
    const isOwn = limiter.check === ownCheck;
    const known = text !== undefined && isOwn ? limiter.regulars.find(text) : undefined;
    if (known !== undefined) client.watch(request);
    const key = known === undefined ? client.key(request, subnet, text) : known.key;
    if (key === null) return null;
    const verdict =
      known === undefined ? limiter.check(key, cost) : limiter.checkKnown(known, cost);
    if (known === undefined && text !== undefined && isOwn)
      limiter.regulars.missed(text, this.#read);
    const budget = plan.budgets.usual;
    const followed = isFollowed(plan, budget, verdict) ? [{ budget, key, cost, verdict }] : null;
    return conclude(plan, request, response, budget, key, cost, verdict, followed);
  }

  readonly #read = (text: string): Regular | undefined => {
    const key = this.#plan.client.keyOf(text, this.#usual.subnet);
    return key === null ? undefined : this.#usual.limiter.know(key);
  };
}

/** The straight way through a gate, if no question of its plan is to be asked of anybody. */
export function straightWay<Request, Response>(
  plan: GatePlan<Request, Response>,
): StraightWay<Request, Response> | null {
  const { skip, key, subnet, block, allow, windowMs, limit, username, cost, afterwards } = plan;
  const { counter, limiter } = plan.budgets.usual;
  const countIf = afterwards?.countIf ?? null;
  const steps = [skip, key, block, allow, windowMs, limit, username, countIf];
  if (!plan.enforces) return null;
  if (steps.some((step) => step !== null) || counter !== limiter) return null;
  if (!(limiter instanceof StoreLimiter)) return null;
  if (typeof subnet === "function" || typeof cost !== "number") return null;
  return new StraightWay(plan, { limiter, subnet, cost });
}
