/** The warnings of a limiter: where they are sent, and those about how it is made. */

import { TidegateError } from "@tidegate/core";
import {
  isCalledBy,
  sayUnreadSwitches,
  type TidegateWarning,
  type WarningCode,
  Warnings,
} from "@tidegate/core/http";
import type { RateLimitOptions } from "../options.ts";
import type { Logger, ValidationName } from "./peer-types.ts";

/** The frames that Express leaves on the stack while it handles a request, in versions 4 and 5; Bun names no classes. */
const HANDLING = /\bLayer\.handle|\bhandle_?[rR]equest\b.*[\\/]router[\\/]/;

/** Warnings that express-rate-limit sends to `logger.warn`; all others are errors to it. */
const MILD: readonly WarningCode[] = ["TIDEGATE_LIMIT_ZERO", "TIDEGATE_OPTION_REMOVED"];

/** Names that `validate` still accepts, although their warnings no longer exist. */
const SWITCHES_OF_OLD: readonly ValidationName[] = ["draftPolliHeaders", "ipv6Subnet"];

export function warningsOf({ validate, logger }: Partial<RateLimitOptions>): Warnings {
  const warnings = warningsTo(logger, validate);
  if (isCalledBy(HANDLING)) warnings.sayMadePerRequest();
  sayUnreadSwitches(validate, warnings, SWITCHES_OF_OLD);
  return warnings;
}

function warningsTo(logger: Logger | undefined, validate: RateLimitOptions["validate"]): Warnings {
  if (logger === undefined) return new Warnings(validate);
  const { error, warn } = (logger ?? {}) as Partial<Logger>;
  if (typeof error !== "function" || typeof warn !== "function") {
    throw new TidegateError(
      "TIDEGATE_OPTION_INVALID",
      "'logger' must be an object with the functions error and warn",
    );
  }
  return new Warnings(validate, (warning: TidegateWarning) => {
    if (MILD.includes(warning.code)) logger.warn(warning);
    else logger.error(warning);
  });
}
