/**
 * Responses that should go out without rate-limit fields, which is known only when they leave.
 *
 * A client that is told to wait may put off following a redirect, and what a cache keeps would tell
 * later clients of a limit that is not theirs.
 */

import type { Framework, HeaderValue } from "../framework.ts";

export interface Omission {
  readonly redirects: boolean;
  readonly cacheable: boolean;
}

/** Takes fields off a response right before it leaves, if it turns out to be one without. */
export function omitFields<Request, Response>(
  framework: Framework<Request, Response>,
  response: Response,
  omit: Omission,
  names: readonly string[],
): void {
  framework.beforeHeaders(response, (late) => {
    const header = (name: string): HeaderValue => late?.(name) ?? framework.header(response, name);
    const isOmitted =
      (omit.redirects && isRedirect(framework.statusCode(response))) ||
      (omit.cacheable && isCacheable(header));
    if (!isOmitted) return;
    for (const name of names) {
      if (name !== "Retry-After") framework.removeHeader(response, name);
    }
  });
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304;
}

function isCacheable(header: (name: string) => HeaderValue): boolean {
  const control = String(header("cache-control") ?? "").toLowerCase();
  if (/no-store|private/.test(control)) return false;
  return /public|max-age|s-maxage/.test(control) || header("expires") !== undefined;
}
