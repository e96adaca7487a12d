/**
 * Options that do nothing where another one is not given, so that nobody relies on them in vain.
 */

import type { GateOptions } from "./gate-options.ts";
import { PRESET_RULES, type PresetRules } from "./presets.ts";

export interface IdleOption {
  readonly name: "partitionKey" | "problemType";
  /** What there would have to be for it to do something. */
  readonly needs: string;
}

/** Drafts whose fields have members with names, and room for a partition key. */
const NAMING: readonly unknown[] = ["draft-8", "draft-11"];

/** Whether the fields of a draft call policies by their names. */
export function namesPolicies(draft: unknown): boolean {
  return NAMING.includes(draft);
}

/** Of what was given, what does nothing. Options that are wrong in themselves may be among them. */
export function idleOptions(
  options: Pick<GateOptions<never, never>, "preset" | "standardHeaders" | IdleOption["name"]>,
): readonly IdleOption[] {
  const { preset = "parity", partitionKey = false, problemType } = options;
  const rules: PresetRules | undefined = PRESET_RULES[preset];
  const { standardHeaders = rules?.standardHeaders } = options;
  const draft = standardHeaders === true ? rules?.ownDraft : standardHeaders;
  const idle: IdleOption[] = [];
  if (problemType !== undefined && rules?.problems !== true) {
    idle.push({ name: "problemType", needs: "the preset 'api', which sends problem details" });
  }
  if (partitionKey !== false && !namesPolicies(draft)) {
    idle.push({ name: "partitionKey", needs: `'standardHeaders' of ${NAMING.join(" or ")}` });
  }
  return idle;
}
