/**
 * What an adapter says about the limiter that it replaces, so that nothing of it is written here.
 */

import type { LimiterOptions } from "../../limiter/limiter-options.ts";
import type { Limiter } from "../../limiter.ts";
import type { Policy } from "../../policies/policy.ts";
import type { ShownKey } from "../client/client-key.ts";
import type { Framework } from "../framework.ts";
import type { LegacyFields } from "../headers/fields.ts";
import type { Counter, Verdict } from "../verdict.ts";
import type { Warnings } from "../warnings.ts";

/** The customs of a limiter that users come from, and those of the framework around it. */
export interface Customs<Request, Response> {
  /** What users call, for messages about their options. */
  readonly place: string;
  readonly framework: Framework<Request, Response>;
  readonly warnings: Warnings;
  readonly limit: number;
  readonly windowMs: number;
  /** The policy of one width, refused hits counted or not as that limiter does. */
  readonly policy: (limit: number, windowMs: number) => Policy;
  readonly ipv6Subnet: number;
  readonly ipv6SubnetRange: readonly [number, number];
  /** Whether `X-RateLimit-*` headers are sent where the option `legacyHeaders` says nothing. */
  readonly legacyHeaders: boolean;
  readonly legacy: LegacyFields;
  /** Whether a refusal carries Retry-After; only an explicit wish of the user's leaves it out. */
  readonly sendsRetryAfter: boolean;
  /** How its only policy is called in fields. */
  readonly fieldName: (limit: number, windowMs: number) => string;
  /** Whether hits that are refused are counted, and given back like others. */
  readonly countsRefused: boolean;
  /** Whether what `onLimited` throws at once goes to the framework, instead of being only said. */
  readonly limitedMayThrow?: boolean | undefined;
  /** Counts instead of a limiter. */
  readonly counter?: Counter | undefined;
  /** A limiter to count in instead of making one; it has one window, and the gate's limit. */
  readonly limiter?: Limiter | undefined;
  /** How limiters are made, where several gates count in one and somebody else closes it. */
  readonly makeLimiter?: ((options: LimiterOptions) => Limiter) | undefined;
  /** What requests are counted by, where that is not simply the limiter. */
  readonly counterOf?: ((limiter: Limiter) => Counter) | undefined;
  /** Whether the adapter shows the gate the promises of handlers. */
  readonly tellsHandled?: boolean | undefined;
  /** Whether the application acts on what a dry run finds, so that the limiter is enforced all the same. */
  readonly isQuestion?: boolean | undefined;
  /** Whether nothing is counted, so that a request may come more than once. */
  readonly onlyLooks?: boolean | undefined;
  /** Told of every verdict before anything is written. */
  readonly onVerdict?:
    | ((request: Request, response: Response, verdict: Verdict, key: ShownKey) => void)
    | undefined;
}
