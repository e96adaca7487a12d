/**
 * Writes a response's rate-limit fields: with the user's policy name and partition key, readable
 * for scripts, and omitted where they are not wanted.
 */

import type { Verdict } from "../counter.ts";
import { exposeHeaders, omitFields } from "../headers/exposure.ts";
import { type Fields, isFieldText } from "../headers/fields.ts";
import type { RequestContext } from "./request-context.ts";

/** Whether fields may be written: not in a dry run, and not after the headers were sent. */
export function canWriteFields<Request, Response>({
  plan,
  response,
  budget,
}: RequestContext<Request, Response>): boolean {
  return budget.fields !== null && !plan.dryRun && !plan.framework.headersSent(response);
}

export function writeFields<Request, Response>(context: RequestContext<Request, Response>): void {
  if (!canWriteFields(context)) return;
  const { plan, response, budget, policyName, partition } = context;
  const { framework, exposed, omit, warnings } = plan;
  const fields = budget.fields as Fields;
  const verdict = context.verdict as Verdict;
  let name: string | null = null;
  if (policyName !== null) {
    if (isFieldText(policyName) && policyName !== "") name = policyName;
    else warnings.say("TIDEGATE_FIELD_NAME_INVALID");
  }
  context.names = fields.write(framework, response, verdict, name, partition);
  // A refusal exposes its headers itself, because it has some even without fields.
  if (!verdict.allowed) return;
  if (exposed !== null) exposeHeaders(framework, response, exposed);
  if (omit !== null) omitFields(framework, response, omit, fields.exposedNames());
}
