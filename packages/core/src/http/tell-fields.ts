/**
 * What a response says about its limits, of one verdict: fields, under the name and the partition key
 * that the user gives them, readable for scripts, and left off where they are not wanted.
 *
 * Nothing is said where headers are out already, or where a dry run is to show no trace.
 */

import type { ShownKey } from "./client-key.ts";
import { exposeHeaders } from "./cors.ts";
import type { Fields } from "./fields.ts";
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
  fields: Fields,
  key: ShownKey,
  verdict: Verdict,
): Told | Promise<Told> {
  if (plan.dryRun || plan.framework.headersSent(response)) return null;
  const { identifier } = plan;
  if (identifier === null) {
    return tellNamed(plan, request, response, fields, key, verdict, null);
  }
  const answer = identifier(request, response);
  if (isThenable(answer)) {
    return Promise.resolve(answer).then((name) =>
      plan.framework.headersSent(response)
        ? null
        : tellNamed(plan, request, response, fields, key, verdict, name),
    );
  }
  return tellNamed(plan, request, response, fields, key, verdict, answer);
}

/** Goes on with the user's name for the policy: checks it, and asks for the partition key. */
function tellNamed<Request, Response>(
  plan: GatePlan<Request, Response>,
  request: Request,
  response: Response,
  fields: Fields,
  key: ShownKey,
  verdict: Verdict,
  answer: unknown,
): Told | Promise<Told> {
  let name: string | null = null;
  if (answer !== null) {
    if (isFieldText(answer) && answer !== "") name = answer;
    else plan.warnings.say("TIDEGATE_FIELD_NAME_INVALID");
  }
  const { partition } = plan;
  const bytes = partition === null ? null : partition(request, response, key);
  if (!isThenable(bytes)) return write(plan, response, fields, verdict, name, bytes);
  return Promise.resolve(bytes).then((later) =>
    // By now somebody else may have answered.
    plan.framework.headersSent(response)
      ? null
      : write(plan, response, fields, verdict, name, later),
  );
}

function write<Request, Response>(
  { framework, exposed, omit }: GatePlan<Request, Response>,
  response: Response,
  fields: Fields,
  verdict: Verdict,
  name: string | null,
  bytes: string | null,
): Told {
  const names = fields.write(framework, response, verdict, name, bytes);
  // A refusal makes its headers readable itself: it has some where there are no fields.
  if (exposed !== null && verdict.allowed) exposeHeaders(framework, response, exposed);
  if (omit !== null && verdict.allowed) {
    omitFields(framework, response, omit, fields.exposedNames());
  }
  return names;
}
