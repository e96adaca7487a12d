/**
 * A body that has not been parsed yet, where the user name in it is asked for.
 *
 * Not every request without a name is a mistake: robots send what they like. So this only looks whether
 * there is a body of a kind that parsers read, and nothing has come of it.
 */

import type { Framework } from "../framework.ts";
import type { Warnings } from "../warnings.ts";

const PARSED = /json|x-www-form-urlencoded/i;

/** Says so if the body of a request that told no user name has not been parsed. */
export function sayUnreadBody<Request, Response>(
  framework: Framework<Request, Response>,
  request: Request,
  warnings: Warnings,
): void {
  if (framework.body(request) !== undefined) return;
  const header = (name: string): string => framework.requestHeader(request, name) ?? "";
  const hasBody = Number(header("content-length")) > 0 || header("transfer-encoding") !== "";
  if (hasBody && PARSED.test(header("content-type"))) warnings.say("TIDEGATE_BODY_UNREAD");
}
