/** Finds options that have no effect without another one, so that no user relies on them. */

import { NAMING_DRAFTS, namesPolicies } from "../headers/fields.ts";
import type { GateOptions } from "./gate-options.ts";
import { PRESET_RULES, type PresetRules } from "./presets.ts";

export interface UnusedOption {
  readonly name: "partitionKey" | "problemType";
  /** What it needs to have an effect. */
  readonly needs: string;
}

/** The given options that have no effect. Invalid options may be among them. */
export function unusedOptions(
  options: Pick<GateOptions<never, never>, "preset" | "standardHeaders" | UnusedOption["name"]>,
): readonly UnusedOption[] {
  const { preset = "parity", partitionKey = false, problemType } = options;
  const rules: PresetRules | undefined = PRESET_RULES[preset];
  const { standardHeaders = rules?.standardHeaders } = options;
  const draft = standardHeaders === true ? rules?.ownDraft : standardHeaders;
  const unused: UnusedOption[] = [];
  if (problemType !== undefined && rules?.problems !== true) {
    unused.push({ name: "problemType", needs: "the preset 'api', which sends problem details" });
  }
  if (partitionKey !== false && !namesPolicies(draft)) {
    unused.push({
      name: "partitionKey",
      needs: `'standardHeaders' of ${NAMING_DRAFTS.join(" or ")}`,
    });
  }
  return unused;
}
