/**
 * What a limiter owes to scripts of other origins.
 *
 * A browser asks beforehand whether a script may send a request, and takes any answer but success for
 * a broken network; so that question is let through uncounted. A script sees a response's headers only
 * if it was told their names.
 */

import type { Framework } from "../framework.ts";

const EXPOSE = "Access-Control-Expose-Headers";

/** Whether a request is a browser's question beforehand. */
export function isPreflight<Request, Response>(
  framework: Framework<Request, Response>,
  request: Request,
): boolean {
  return (
    framework.method(request) === "OPTIONS" &&
    framework.requestHeader(request, "origin") !== undefined &&
    framework.requestHeader(request, "access-control-request-method") !== undefined
  );
}

/** Adds names to those that scripts may read, beside what is there. */
export function exposeHeaders<Request, Response>(
  framework: Framework<Request, Response>,
  response: Response,
  names: readonly string[],
): void {
  const before = framework.header(response, EXPOSE);
  if (before === undefined) {
    framework.setHeader(response, EXPOSE, names.join(", "));
    return;
  }
  const listed = (typeof before === "object" ? before.join(", ") : String(before)).split(/\s*,\s*/);
  const known = new Set(listed.map((name) => name.trim().toLowerCase()));
  const added = names.filter((name) => !known.has(name.toLowerCase()));
  if (added.length === 0) return;
  const all = [...listed.filter((name) => name !== ""), ...added];
  framework.setHeader(response, EXPOSE, all.join(", "));
}
