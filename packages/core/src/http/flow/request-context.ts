/**
 * What is known of one request on its way through a gate. Each step of the flow reads what earlier steps
 * have found, and notes what it finds.
 */

import type { CallOptions } from "../../limiter/call.ts";
import { countedKey } from "../client/client-key.ts";
import type { Key, Verdict } from "../counter.ts";
import type { Cost, ShownKey } from "../user-functions.ts";
import type { Budget, GatePlan } from "./gate-plan.ts";

/** What one budget has counted of a request, or with `countIf` would count. */
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
  /** What the request is counted by; null while that is not known. */
  key: ShownKey | null = null;
  /** What the request is counted in. */
  budget: Budget;
  /** The limit of this request; undefined for the limiter's own. */
  limit: CallOptions["limit"] = undefined;
  cost: Cost = 1;
  /** What the limiter decided; null while it has not been asked. */
  verdict: Verdict | null = null;
  /** Everything that was counted, where that is not one hit in `budget`. */
  hits: readonly Hit[] | null = null;
  /** What the user calls the policy in this response, not checked; null for its usual name. */
  policyName: unknown = null;
  /** The partition key as a Byte Sequence. */
  partition: string | null = null;
  /** What the fields that were written call the policies; null where no field names them. */
  names: readonly string[] | null = null;

  constructor(plan: GatePlan<Request, Response>, request: Request, response: Response) {
    this.plan = plan;
    this.request = request;
    this.response = response;
    this.budget = plan.budgets.usual;
  }
}

/** The hit that `context.verdict` is about. */
export function hitOf<Request, Response>(context: RequestContext<Request, Response>): Hit {
  const { budget, key, cost, verdict } = context;
  return { budget, key: countedKey(key as ShownKey), cost, verdict: verdict as Verdict };
}
