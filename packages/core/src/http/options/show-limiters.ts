/**
 * What a middleware shows of its gate: what counts, for blocking, resetting and looking.
 */

import type { Gate } from "../flow/gate.ts";

/** The same function, with the limiters of its gate as properties. */
export function showLimiters<Shown extends object>(
  middleware: object,
  gate: Pick<Gate<never, never>, "limiter" | "limiters">,
): Shown {
  return Object.defineProperties(middleware, {
    limiter: { get: () => gate.limiter, enumerable: true },
    limiters: { get: () => gate.limiters, enumerable: true },
  }) as Shown;
}
