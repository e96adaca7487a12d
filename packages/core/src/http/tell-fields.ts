/**
 * What a response says about its limits, of one verdict: fields, under the name and the partition key
 * that the user gives them, readable for scripts, and left off where they are not wanted.
 *
 * Nothing is said where headers are out already, or where a dry run is to show no trace.
 */

import type { Budget } from "./budget.ts";
import type { Key } from "./client-key.ts";
import { exposeHeaders } from "./cors.ts";
import type { GatePlan } from "./gate-plan.ts";
import { omitFields } from "./omission.ts";
import { isFieldText } from "./structured-field.ts";
import { isThenable } from "./thenable.ts";
import type { Verdict } from "./verdict.ts";

/** What the policies are called in the fields that were written; null where no field names them. */
type Told = readonly string[] | null;

/** Writes the fields; the promise is there only where a user's function takes its time. */
export function tellFields<Request, Response>(
  plan: GatePlan<Request, Response>,
  request: Request,
  response: Response,
  budget: Budget,
  key: Key,
  verdict: Verdict,
): Told | Promise<Told> {
  if (budget.fields === null || plan.dryRun || plan.framework.headersSent(response)) {
    return null;
  }
  const { identifier } = plan;
  if (identifier === null) {
    return write(plan, request, response, budget, key, verdict, null);
  }
  const answer = identifier(request, response);
  if (isThenable(answer)) {
    return Promise.resolve(answer).then((name) =>
      write(plan, request, response, budget, key, verdict, name),
    );
  }
  return write(plan, request, response, budget, key, verdict, answer);
}

function write<Request, Response>(
  { framework, warnings, partition, exposed, omit }: GatePlan<Request, Response>,
  request: Request,
  response: Response,
  { fields }: Budget,
  key: Key,
  verdict: Verdict,
  name: string | null,
): Told {
  let given = name;
  if (given !== null && (!isFieldText(given) || given === "")) {
    warnings.say("TIDEGATE_FIELD_NAME_INVALID");
    given = null;
  }
  const bytes = partition === null ? null : partition(request, response, key);
  const names = fields?.write(framework, response, verdict, given, bytes) ?? null;
  // A refusal makes its headers readable itself: it has some where there are no fields.
  if (exposed !== null && verdict.allowed) exposeHeaders(framework, response, exposed);
  if (omit !== null && verdict.allowed && fields !== null) {
    omitFields(framework, response, omit, fields.exposedNames());
  }
  return names;
}
