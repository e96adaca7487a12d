/** The defaults of a gate's options. A preset never overrides an option that was given. */

import { MINUTE } from "../../base/durations.ts";
import type { Draft } from "../headers/fields.ts";
import type { Preset } from "./gate-options.ts";

export interface PresetRules {
  /** Whether `X-RateLimit-*` headers are sent; null leaves it to the replaced package. */
  readonly legacyHeaders: boolean | null;
  readonly standardHeaders: Draft | null;
  /** The draft of `standardHeaders: true`. */
  readonly ownDraft: Draft;
  readonly exposeHeaders: boolean;
  /** Whether bodies are problem details instead of those of the replaced package. */
  readonly problems: boolean;
  /** Retry-After is rounded up to a multiple of this, in seconds. */
  readonly retryAfterUnit: number;
}

export const PRESET_RULES: Readonly<Record<Preset, PresetRules>> = {
  parity: {
    legacyHeaders: null,
    standardHeaders: null,
    ownDraft: "draft-6",
    exposeHeaders: false,
    problems: false,
    retryAfterUnit: 1,
  },
  api: {
    legacyHeaders: false,
    standardHeaders: "draft-11",
    ownDraft: "draft-11",
    exposeHeaders: true,
    problems: true,
    retryAfterUnit: 1,
  },
  // Exact numbers would help a client that guesses passwords, so it gets none.
  login: {
    legacyHeaders: false,
    standardHeaders: null,
    ownDraft: "draft-11",
    exposeHeaders: false,
    problems: false,
    retryAfterUnit: 60,
  },
};

export const API_WINDOW_MS: number = MINUTE;

/** Sign-in attempts within the window, per name and per address. */
export const LOGIN: {
  readonly limit: number;
  readonly addressLimit: number;
  readonly windowMs: number;
} = { limit: 5, addressLimit: 50, windowMs: 15 * MINUTE };
