/**
 * The limiters of one registration of the plugin, by name. The same name gives the same limiter,
 * and all are closed together.
 */

import { createHash } from "node:crypto";
import {
  createLimiter,
  type Limiter,
  type LimiterOptions,
  type Policy,
  TidegateError,
} from "@tidegate/core";

/** The longest name of a limiter. */
const NAME_LENGTH_MAX = 128;
const DIGEST_LENGTH = 12;
/** Room for the suffix of a limiter's name, for example the length of a window. */
const SUFFIX_LENGTH_MAX = 24;

export class Limiters {
  readonly #made = new Map<string, { readonly limiter: Limiter; readonly shape: string }>();

  /**
   * The limiter of a name, created at its first use. Windows of another length are counted apart.
   */
  get(options: LimiterOptions): Limiter {
    const { name, policies = [] } = options;
    const shape = JSON.stringify(policies);
    const known = this.#made.get(name);
    if (known === undefined) {
      const limiter = createLimiter(options);
      this.#made.set(name, { limiter, shape });
      return limiter;
    }
    if (known.shape === shape) return known.limiter;
    const windowMs = windowMsOfPolicies(policies);
    if (windowMs !== null && windowMs !== windowMsOfPolicies(known.limiter.policies)) {
      return this.get({ ...options, name: `${name}:${windowMs}` });
    }
    throw new TidegateError(
      "TIDEGATE_OPTION_CONFLICT",
      `two limits that differ are both named ${JSON.stringify(name)}: give one of them another 'name' or 'groupId'`,
    );
  }

  close(): void {
    for (const { limiter } of this.#made.values()) limiter.close();
    this.#made.clear();
  }
}

/** The window length of the only policy. */
function windowMsOfPolicies([policy, ...others]: readonly Policy[]): number | null {
  return policy !== undefined && "windowMs" in policy && others.length === 0
    ? policy.windowMs
    : null;
}

/** A valid limiter name for any route URL, which header fields can carry too. */
export function limiterName(...parts: readonly string[]): string {
  const name = parts.join(":").replace(/[^\x20-\x7e]+/g, encodeURIComponent);
  const longest = NAME_LENGTH_MAX - SUFFIX_LENGTH_MAX;
  if (name.length <= longest) return name;
  const digest = createHash("sha256").update(name).digest("base64url").slice(0, DIGEST_LENGTH);
  return `${name.slice(0, longest - DIGEST_LENGTH - 1)}~${digest}`;
}
