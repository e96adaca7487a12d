/**
 * One request on its way through a gate: whom to count it for, how much, and what the answer leads to.
 *
 * Every step goes on in the same tick unless a user's function answers later; then the rest waits for
 * it, and for nothing else. Steps that were not asked for are null in the plan.
 */

import type { CallOptions } from "../limiter/call.ts";
import { SLIDING_LOG_LIMIT_MAX } from "../policies/sliding-log.ts";
import { checkSubnet, type Ipv6Subnet } from "./address-key.ts";
import type { AddressList } from "./address-list.ts";
import { checkArguments, type Hit } from "./aftermath.ts";
import type { Budget } from "./budget.ts";
import {
  countedKey,
  type Key,
  type KeyAnswer,
  nameOf,
  type ShownKey,
  shownKeyOf,
} from "./client-key.ts";
import { conclude, isFollowed } from "./conclude.ts";
import { isPreflight } from "./cors.ts";
import type { AskedWithKey, Cost, GatePlan } from "./gate-plan.ts";
import { numberIn } from "./numeric-text.ts";
import { limitOf } from "./quota.ts";
import type { Passing, Refusal } from "./refusal.ts";
import { refusalOf, refuse } from "./refuse.ts";
import { isThenable, type MaybePromise } from "./thenable.ts";
import { sayUnreadBody } from "./unread-body.ts";
import type { Verdict } from "./verdict.ts";

export class Passage<Request, Response> {
  readonly #plan: GatePlan<Request, Response>;
  readonly #request: Request;
  readonly #response: Response;
  #budget: Budget;
  #key: ShownKey | null = null;
  #limit: CallOptions["limit"] = undefined;
  #cost: Cost = 1;
  #hits: Hit[] | null = null;

  constructor(plan: GatePlan<Request, Response>, request: Request, response: Response) {
    this.#plan = plan;
    this.#request = request;
    this.#response = response;
    this.#budget = plan.budgets.usual;
  }

  enter(): Passing {
    const { letsPreflightsPass, framework, skip } = this.#plan;
    if (letsPreflightsPass && isPreflight(framework, this.#request)) return null;
    return skip === null
      ? this.#goOn(false)
      : this.#then(skip(this.#request, this.#response), this.#goOn);
  }

  #goOn(skips: unknown): Passing {
    if (skips) return null;
    const { key } = this.#plan;
    return key === null
      ? this.#byAddress()
      : this.#then(key(this.#request, this.#response), this.#byAnswer);
  }

  #byAnswer(answer: KeyAnswer | false): Passing {
    if (answer === false) return this.#keyed(null);
    const key = shownKeyOf(answer);
    if (key !== null) {
      this.#plan.client.watchAnswer(answer);
      return this.#keyed(key);
    }
    const { client, warnings } = this.#plan;
    if (!client.isGone(this.#request)) warnings.say("TIDEGATE_KEY_EMPTY");
    return this.#byAddress();
  }

  #byAddress(): Passing {
    const { subnet, client } = this.#plan;
    if (typeof subnet !== "function") return this.#inNetwork(subnet);
    const isIpv4 = client.text(this.#request)?.includes(":") !== true;
    return isIpv4
      ? this.#inNetwork(false)
      : this.#then(subnet(this.#request, this.#response), this.#inAnswered);
  }

  #inAnswered(subnet: unknown): Passing {
    return this.#inNetwork(checkSubnet("ipv6Subnet", subnet, ...this.#plan.subnetRange));
  }

  #inNetwork(subnet: Ipv6Subnet): Passing {
    const { client, needsAddress } = this.#plan;
    if (needsAddress && client.isGone(this.#request)) return this.#unaddressed();
    const key = client.key(this.#request, subnet, client.text(this.#request));
    return key === null ? this.#unaddressed() : this.#keyed(key);
  }

  #unaddressed(): Passing {
    if (!this.#plan.needsAddress) return null;
    const refusal = refusalOf(this.#plan, { reason: "address", key: null, verdict: null });
    return this.#refuse(refusal);
  }

  #keyed(key: ShownKey | null): Passing {
    this.#key = key;
    const { block } = this.#plan;
    return block === null ? this.#unblocked(false) : this.#then(this.#isIn(block), this.#unblocked);
  }

  #unblocked(isBlocked: unknown): Passing {
    const { blocksGone, client } = this.#plan;
    if (isBlocked || (blocksGone && client.isGone(this.#request))) {
      const refusal = refusalOf(this.#plan, { reason: "list", key: this.#key, verdict: null });
      return this.#refuse(refusal);
    }
    if (this.#key === null) return null;
    const { allow } = this.#plan;
    return allow === null ? this.#measure(false) : this.#then(this.#isIn(allow), this.#measure);
  }

  #measure(isExempt: unknown): Passing {
    if (isExempt) return null;
    const { windowMs } = this.#plan;
    return windowMs === null ? this.#allot() : this.#then(this.#ask(windowMs), this.#widen);
  }

  #widen(windowMs: number): Passing {
    const { budgets, warnings } = this.#plan;
    this.#budget = budgets.ofWidth(numberIn("windowMs", windowMs, warnings));
    return this.#allot();
  }

  #allot(): Passing {
    const { limit } = this.#plan;
    return limit === null ? this.#weigh() : this.#then(this.#ask(limit), this.#limited);
  }

  #limited(limit: Cost): Passing {
    this.#setLimit(limit);
    return this.#weigh();
  }

  #setLimit(answer: Cost): void {
    const limit = numberIn("limit", answer, this.#plan.warnings);
    const isNumber = typeof limit !== "object" || limit === null;
    const applied = isNumber ? limitOf("limit", limit) : limit;
    // What the limiter would apply by itself need not be said, and checks that say nothing are quicker.
    if (!isNumber || !this.#isOwnLimit(applied as number)) this.#limit = applied;
  }

  #isOwnLimit(limit: number): boolean {
    const policies = this.#budget.limiter?.policies;
    return policies?.length === 1 && policies[0]!.limit === limit;
  }

  #weigh(): Passing {
    const { cost } = this.#plan;
    if (typeof cost === "function") return this.#then(this.#ask(cost), this.#weighed);
    return this.#weighed(cost);
  }

  #weighed(cost: Cost): Passing {
    // What is given back later is what is taken now, whatever becomes of the user's object.
    this.#cost = typeof cost === "object" && cost !== null ? { ...cost } : cost;
    return this.#then(this.#count(this.#budget), this.#counted);
  }

  #count({ counter }: Budget): MaybePromise<Verdict | null> {
    const key = this.#countedKey();
    const cost = this.#cost;
    const { afterwards, enforces } = this.#plan;
    const onlyLooks = afterwards !== null && afterwards.countIf !== null;
    if (enforces && this.#limit === undefined && typeof cost === "number") {
      return onlyLooks ? counter.peek(key, cost) : counter.check(key, cost);
    }
    const [units, weights] = checkArguments(cost);
    const options = {
      ...weights,
      ...(this.#limit !== undefined && { limit: this.#limit }),
      ...(!enforces && { enforced: false }),
    };
    return onlyLooks ? counter.peek(key, units, options) : counter.check(key, units, options);
  }

  #counted(verdict: Verdict | null): Passing {
    if (verdict === null) return null;
    const { username } = this.#plan;
    if (username === null) return this.#decided(verdict);
    this.#hits = [this.#hit(verdict)];
    if (!verdict.allowed) return this.#decided(verdict);
    return this.#then(username.of(this.#request, this.#response), this.#named);
  }

  #named(name: string | null | undefined): Passing {
    const key = nameOf(name);
    const { username } = this.#plan;
    const first = this.#hits?.[0];
    if (username === null || first === undefined) return null;
    if (key === null) {
      sayUnreadBody(this.#plan.framework, this.#request, this.#plan.warnings);
      return this.#decided(first.verdict);
    }
    this.#budget = username.budget;
    this.#key = key;
    const { limit } = username;
    if (limit === null) return this.#countName();
    return this.#then(this.#ask(limit), (answer) => {
      // Whoever has no limit has the largest that a log can keep.
      const limit = numberIn("limit", answer, this.#plan.warnings);
      this.#setLimit(typeof limit === "number" ? Math.min(limit, SLIDING_LOG_LIMIT_MAX) : limit);
      return this.#countName();
    });
  }

  #countName(): Passing {
    return this.#then(this.#count(this.#budget), this.#agreed);
  }

  /** Both budgets have to agree: what the second refuses is given back to the first. */
  #agreed(verdict: Verdict | null): Passing {
    const first = this.#hits?.[0];
    if (verdict === null || first === undefined) return null;
    if (verdict.allowed) this.#hits?.push(this.#hit(verdict));
    else {
      const { budget, key, cost } = first;
      void budget.counter.refund(key, typeof cost === "number" ? cost : 1, first.verdict);
      this.#hits = [this.#hit(verdict)];
    }
    return this.#decided(verdict);
  }

  #countedKey(): Key {
    return countedKey(this.#key as ShownKey);
  }

  #hit(verdict: Verdict): Hit {
    return { budget: this.#budget, key: this.#countedKey(), cost: this.#cost, verdict };
  }

  #decided(verdict: Verdict): Passing {
    const plan = this.#plan;
    const budget = this.#budget;
    const followed = isFollowed(plan, budget, verdict)
      ? (this.#hits ?? [this.#hit(verdict)])
      : null;
    const key = this.#key as ShownKey;
    const cost = this.#cost;
    return conclude(plan, this.#request, this.#response, budget, key, cost, verdict, followed);
  }

  #refuse(refusal: Refusal): Passing {
    return refuse(this.#plan, this.#request, this.#response, refusal);
  }

  #isIn(list: AddressList | AskedWithKey<Request, Response, unknown>): MaybePromise<unknown> {
    if (typeof list === "function") return this.#ask(list);
    const key = this.#key === null ? null : countedKey(this.#key);
    return list.has(key, list.hasAddresses ? this.#plan.client.listed(this.#request) : []);
  }

  #ask<Answer>(question: AskedWithKey<Request, Response, Answer>): MaybePromise<Answer> {
    return question(this.#request, this.#response, this.#key ?? "");
  }

  /** Goes on with an answer: at once if it is there. */
  #then<Answer>(answer: MaybePromise<Answer>, next: (answer: Answer) => Passing): Passing {
    return isThenable(answer)
      ? Promise.resolve(answer).then((later) => next.call(this, later as Answer))
      : next.call(this, answer as Answer);
  }
}
