/**
 * Which scripts may read a response's headers, and which responses omit rate-limit fields.
 *
 * A script of another origin sees only the headers that a response exposes. A client that reads a
 * wait in a redirect may follow the redirect late. A cache would show the fields of one client to
 * later clients.
 */

import type { Framework, HeaderValue } from "../framework.ts";

const EXPOSE = "Access-Control-Expose-Headers";

export interface Omission {
  readonly redirects: boolean;
  readonly cacheable: boolean;
}

/** Adds names to the headers that scripts may read. */
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

/** Removes fields right before the response is sent, if it must omit them. */
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
