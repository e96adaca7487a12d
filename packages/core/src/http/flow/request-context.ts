/**
 * The state of one request on its way through a gate. Each step of the flow reads what earlier
 * steps found, and adds what it finds.
 */

import type { CallOptions } from "../../limiter/call.ts";
import { countedKey } from "../client/client-key.ts";
import type { Key, Verdict } from "../counter.ts";
import type { Cost, ShownKey } from "../user-functions.ts";
import type { Budget, GatePlan } from "./gate-plan.ts";

/** What one budget has counted of a request, or would count with `countIf`. */
export interface Hit {
  readonly budget: Budget;
  readonly key: Key;
  readonly cost: Cost;
  readonly verdict: Verdict;
}

export class RequestContext<Request, Response> {
  readonly plan: GatePlan<Request, Response>;
  readonly request: Request;
  readonly response: Response;
  /** The key of the request; null until it is known. */
  key: ShownKey | null = null;
  /** The budget in which the request is counted. */
  budget: Budget;
  /** The limit of this request; undefined for the limiter's own. */
  limit: CallOptions["limit"] = undefined;
  cost: Cost = 1;
  /** The limiter's decision; null until it has decided. */
  verdict: Verdict | null = null;
  /** Everything that was counted, unless that is one hit in `budget`. */
  hits: readonly Hit[] | null = null;
  /** The user's name for the policy in this response, unchecked; null for its usual name. */
  policyName: unknown = null;
  /** The partition key as a Byte Sequence. */
  partition: string | null = null;
  /** The names of the policies in the written fields; null where no field names them. */
  names: readonly string[] | null = null;

  constructor(plan: GatePlan<Request, Response>, request: Request, response: Response) {
    this.plan = plan;
    this.request = request;
    this.response = response;
    this.budget = plan.budgets.usual;
  }
}

/** The hit of `context.verdict`. */
export function hitOf<Request, Response>(context: RequestContext<Request, Response>): Hit {
  const { budget, key, cost, verdict } = context;
  return { budget, key: countedKey(key as ShownKey), cost, verdict: verdict as Verdict };
}
