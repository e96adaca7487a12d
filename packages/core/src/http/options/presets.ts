/**
 * Where a gate's options begin. A preset only fills in what was not given.
 */

import { MINUTE } from "../../base/durations.ts";
import type { Draft } from "../headers/fields.ts";
import type { Preset } from "./gate-options.ts";

export interface PresetRules {
  /** Whether the headers that every limiter has are sent; null leaves it to the limiter replaced. */
  readonly legacyHeaders: boolean | null;
  readonly standardHeaders: Draft | null;
  /** What `standardHeaders: true` means. */
  readonly ownDraft: Draft;
  readonly exposeHeaders: boolean;
  /** Whether bodies are problem details instead of what the limiter replaced sends. */
  readonly problems: boolean;
  /** Seconds that Retry-After is a multiple of. */
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
  // A client that guesses passwords learns from exact numbers, so it is given none.
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

/** Attempts to sign in: so many for a name, and so many for an address, within the window. */
export const LOGIN: {
  readonly limit: number;
  readonly addressLimit: number;
  readonly windowMs: number;
} = { limit: 5, addressLimit: 50, windowMs: 15 * MINUTE };
