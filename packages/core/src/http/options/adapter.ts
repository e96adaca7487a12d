/**
 * What an adapter says about itself when it makes a gate: its framework, the limiter that it replaces if there
 * is one, and what it wants to be called for.
 */

import { MINUTE } from "../../base/durations.ts";
import type { Limiter } from "../../limiter/limiter.ts";
import type { LimiterOptions } from "../../limiter/limiter-options.ts";
import { fixedWindow } from "../../policies/fixed-window.ts";
import type { Policy } from "../../policies/policy.ts";
import type { Counter, Verdict } from "../counter.ts";
import type { Framework } from "../framework.ts";
import type { LegacyFields } from "../headers/fields.ts";
import type { ShownKey } from "../user-functions.ts";
import { Warnings } from "../warnings.ts";

/** What the replaced limiter does where options say nothing, so that users see no difference. */
export interface ParityDefaults {
  readonly limit: number;
  readonly windowMs: number;
  /** The policy of one width, refused hits counted or not as that limiter does. */
  readonly policy: (limit: number, windowMs: number) => Policy;
  readonly ipv6Subnet: number;
  readonly ipv6SubnetRange: readonly [least: number, most: number];
  /** Whether its own headers are sent where the option `legacyHeaders` says nothing. */
  readonly legacyHeaders: boolean;
  readonly legacy: LegacyFields;
  /** Whether its lists of draft-8 have a space before each parameter; readers take both. */
  readonly spacedLists?: boolean | undefined;
  /** How its only policy is called in fields; without this, as the limiter. */
  readonly fieldName?: ((limit: number, windowMs: number) => string) | undefined;
  /** Whether a refusal carries Retry-After; only an explicit wish of the user's leaves it out. */
  readonly sendsRetryAfter: boolean;
  /** Whether hits that are refused are counted, and given back like others. */
  readonly countsRefused: boolean;
  /** Whether what `onLimited` throws at once goes to the framework, instead of being only reported. */
  readonly limitedMayThrow?: boolean | undefined;
}

export interface Adapter<Request, Response> {
  readonly framework: Framework<Request, Response>;
  /**
   * What users call, for messages about their options.
   *
   * @default "rateLimit"
   */
  readonly place?: string | undefined;
  /** Where warnings go; without this, the process emits them. */
  readonly warnings?: Warnings | undefined;
  /** For an adapter that replaces another limiter; without this, those of tidegate. */
  readonly defaults?: ParityDefaults | undefined;
  /** Whether the adapter calls `gate.handling` with the promises of handlers. */
  readonly showsHandlers?: boolean | undefined;
  /** Told of every verdict before anything is written. */
  readonly onVerdict?:
    | ((request: Request, response: Response, verdict: Verdict, key: ShownKey) => void)
    | undefined;
  /** Counts instead of a limiter. */
  readonly counter?: Counter | undefined;
  /** A limiter to count in instead of making one; it has one window, and the gate's limit. */
  readonly limiter?: Limiter | undefined;
  /** How limiters are made, where several gates count in one and the adapter closes it. */
  readonly makeLimiter?: ((options: LimiterOptions) => Limiter) | undefined;
  /** What requests are counted by, where that is not simply the limiter. */
  readonly counterOf?: ((limiter: Limiter) => Counter) | undefined;
  /** Whether the application acts on what a dry run finds, so that the limiter is enforced all the same. */
  readonly isQuestion?: boolean | undefined;
  /** Whether nothing is counted, so that a request may come more than once. */
  readonly onlyLooks?: boolean | undefined;
}

/** An adapter with everything that it left out. */
export type CompleteAdapter<Request, Response> = Adapter<Request, Response> & {
  readonly place: string;
  readonly warnings: Warnings;
  readonly defaults: ParityDefaults;
};

const NAMES = {
  limit: "X-RateLimit-Limit",
  remaining: "X-RateLimit-Remaining",
  reset: "X-RateLimit-Reset",
} as const;

/** What an adapter does that replaces no other limiter. */
const OWN_DEFAULTS: ParityDefaults = {
  limit: 100,
  windowMs: MINUTE,
  policy: (limit, windowMs) => fixedWindow({ limit, windowMs }),
  ipv6Subnet: 64,
  ipv6SubnetRange: [32, 64],
  legacyHeaders: false,
  legacy: { allowed: NAMES, refused: NAMES, resetAs: "delta" },
  sendsRetryAfter: true,
  countsRefused: false,
};

export function completeAdapter<Request, Response>(
  adapter: Adapter<Request, Response>,
): CompleteAdapter<Request, Response> {
  const { place = "rateLimit", warnings = new Warnings(), defaults = OWN_DEFAULTS } = adapter;
  return { ...adapter, place, warnings, defaults };
}
