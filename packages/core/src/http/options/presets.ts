/**
 * The defaults of a gate's options, and which options have no effect under them. A preset never
 * overrides an option that was given.
 */

import { MINUTE } from "../../base/options.ts";
import { type Draft, NAMING_DRAFTS, namesPolicies } from "../headers/fields.ts";
import type { GateOptions, Preset } from "./gate-options.ts";

export interface PresetRules {
  /** Whether `X-RateLimit-*` headers are sent; null leaves it to the replaced package. */
  readonly legacyHeaders: boolean | null;
  readonly standardHeaders: Draft | false;
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
    standardHeaders: false,
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
    standardHeaders: false,
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

/** The draft of the fields, or false for none. Invalid options give an invalid draft. */
export function chosenDraft(
  options: Pick<GateOptions<never, never>, "preset" | "standardHeaders">,
): Draft | false {
  const rules: PresetRules | undefined = PRESET_RULES[options.preset ?? "parity"];
  const { standardHeaders = rules?.standardHeaders ?? false } = options;
  return standardHeaders === true ? (rules?.ownDraft ?? false) : standardHeaders;
}

/**
 * The given options that have no effect, and what each needs to have one. Invalid options may be
 * among them.
 */
export function unusedOptions(
  options: Pick<
    GateOptions<never, never>,
    "preset" | "standardHeaders" | "partitionKey" | "problemType"
  >,
): readonly { readonly name: "partitionKey" | "problemType"; readonly needs: string }[] {
  const { preset = "parity", partitionKey = false, problemType } = options;
  const rules: PresetRules | undefined = PRESET_RULES[preset];
  const unused: ReturnType<typeof unusedOptions>[number][] = [];
  if (problemType !== undefined && rules?.problems !== true) {
    unused.push({ name: "problemType", needs: "the preset 'api', which sends problem details" });
  }
  if (partitionKey !== false && !namesPolicies(chosenDraft(options))) {
    unused.push({
      name: "partitionKey",
      needs: `'standardHeaders' of ${NAMING_DRAFTS.join(" or ")}`,
    });
  }
  return unused;
}
