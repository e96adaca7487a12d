/**
 * What an adapter declares when it makes a gate: its framework, the package that it replaces if
 * any, and its callbacks.
 */

import { MINUTE } from "../../base/options.ts";
import type { Limiter } from "../../limiter/limiter.ts";
import type { LimiterOptions } from "../../limiter/limiter-options.ts";
import { fixedWindow } from "../../policies/fixed-window.ts";
import type { Policy } from "../../policies/policy.ts";
import type { Counter, Verdict } from "../counter.ts";
import type { Framework } from "../framework.ts";
import { LEGACY_FIELDS, type LegacyFields } from "../headers/fields.ts";
import type { ShownKey } from "../user-functions.ts";
import { Warnings } from "../warnings.ts";
import { PRESETS, type Preset } from "./gate-options.ts";

/** The defaults of the replaced package, so that its users see no difference. */
export interface ParityDefaults {
  readonly limit: number;
  readonly windowMs: number;
  /**
   * The policy for one window length; refused hits are counted if the replaced package counts them.
   */
  readonly policy: (limit: number, windowMs: number) => Policy;
  readonly ipv6Subnet: number;
  readonly ipv6SubnetRange: readonly [least: number, most: number];
  /** Whether its own headers are sent when the option `legacyHeaders` is absent. */
  readonly legacyHeaders: boolean;
  readonly legacy: LegacyFields;
  /** Whether its draft-8 lists have a space before each parameter; readers accept both. */
  readonly spacedLists?: boolean | undefined;
  /** The name of its only policy in fields; without this, the limiter's name. */
  readonly fieldName?: ((limit: number, windowMs: number) => string) | undefined;
  /** Whether a refusal has Retry-After by default; an explicit option of the user decides first. */
  readonly sendsRetryAfter: boolean;
  /** Whether refused hits are counted, and refunded like others. */
  readonly countsRefused: boolean;
  /**
   * Whether an error that `onLimited` throws synchronously goes to the framework instead of a
   * report.
   */
  readonly limitedMayThrow?: boolean | undefined;
}

export interface Adapter<Request, Response> {
  readonly framework: Framework<Request, Response>;
  /** Receives warnings; without this, the process emits them. */
  readonly warnings?: Warnings | undefined;
  /** The names that the user wrote, by the names of a gate's options, for messages. */
  readonly names?: Readonly<Record<string, string>> | undefined;
  /**
   * For an adapter that replaces another package. Without this, tidegate's own defaults, the preset
   * `api` if none is given, and no preset `parity`.
   */
  readonly defaults?: ParityDefaults | undefined;
  /** Whether the adapter calls `gate.handling` with the promises of handlers. */
  readonly showsHandlers?: boolean | undefined;
  /** Called with every verdict before anything is written. */
  readonly onVerdict?:
    | ((request: Request, response: Response, verdict: Verdict, key: ShownKey) => void)
    | undefined;
  /** Counts instead of a limiter. */
  readonly counter?: Counter | undefined;
  /** An existing limiter to count in; it has one window, and the gate's limit. */
  readonly limiter?: Limiter | undefined;
  /** Makes the limiters, where several gates share one and the adapter closes it. */
  readonly makeLimiter?: ((options: LimiterOptions) => Limiter) | undefined;
  /** The counter of requests, where that is not simply the limiter. */
  readonly counterOf?: ((limiter: Limiter) => Counter) | undefined;
  /** Whether the application acts on the result of a dry run, so that the limiter is enforced. */
  readonly isQuestion?: boolean | undefined;
  /** Whether nothing is counted, so that a request may come more than once. */
  readonly onlyLooks?: boolean | undefined;
}

/** An adapter with its defaults filled in. */
export type CompleteAdapter<Request, Response> = Adapter<Request, Response> & {
  readonly warnings: Warnings;
  readonly defaults: ParityDefaults;
  /** The presets that its users can choose; the first is the default. */
  readonly presets: readonly Preset[];
};

/** The function that users call, for messages about its options. */
export const PLACE = "rateLimit";

/**
 * The defaults of an adapter that replaces no other package. Its limit is not used, since its
 * presets require one or have their own.
 */
const OWN_DEFAULTS: ParityDefaults = {
  limit: 100,
  windowMs: MINUTE,
  policy: (limit, windowMs) => fixedWindow({ limit, windowMs }),
  ipv6Subnet: 64,
  ipv6SubnetRange: [32, 64],
  legacyHeaders: false,
  legacy: LEGACY_FIELDS,
  sendsRetryAfter: true,
  countsRefused: false,
};

const OWN_PRESETS: readonly Preset[] = ["api", "login"];

export function completeAdapter<Request, Response>(
  adapter: Adapter<Request, Response>,
): CompleteAdapter<Request, Response> {
  const { warnings = new Warnings(), defaults = OWN_DEFAULTS } = adapter;
  const presets = adapter.defaults === undefined ? OWN_PRESETS : PRESETS;
  return { ...adapter, warnings, defaults, presets };
}
