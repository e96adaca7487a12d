/**
 * The one error class of tidegate and the one table of its codes.
 *
 * Errors are for programmers. They are thrown where the mistake is made. Each names the option,
 * what was expected and what was given. Each carries a stable code that a page of the docs
 * explains. A refusal is a value, and a problem at run time is an event; neither is ever an error.
 */

/** Where the docs are published, for messages with a link. */
export const DOCS_URL = "https://github.com/tidegate/tidegate/blob/main/docs";

/** A stable name for one kind of mistake. */
export type TidegateErrorCode =
  | "TIDEGATE_OPTION_UNKNOWN"
  | "TIDEGATE_OPTION_MISSING"
  | "TIDEGATE_OPTION_INVALID"
  | "TIDEGATE_OPTION_CONFLICT"
  | "TIDEGATE_KEY_INVALID"
  | "TIDEGATE_COST_INVALID"
  | "TIDEGATE_DECISION_INVALID"
  | "TIDEGATE_POLICY_UNSUITABLE"
  | "TIDEGATE_VERSIONS_DIFFER";

interface ErrorCodeEntry {
  readonly meaning: string;
  readonly remedy: string;
}

/** What each code means and what to do about it. The docs page is generated from this table. */
export const ERROR_CODES: Readonly<Record<TidegateErrorCode, ErrorCodeEntry>> = {
  TIDEGATE_OPTION_UNKNOWN: {
    meaning: "An option, policy or override has a name that tidegate does not know.",
    remedy:
      "Correct the spelling: the message names the nearest known option. Options of another package's limiter belong to its adapter.",
  },
  TIDEGATE_OPTION_MISSING: {
    meaning: "An option without a default was left out.",
    remedy: "Add the option that the message names.",
  },
  TIDEGATE_OPTION_INVALID: {
    meaning: "An option has a value outside what it allows.",
    remedy: "The message says what is allowed. Durations are whole milliseconds: `5 * MINUTE`.",
  },
  TIDEGATE_OPTION_CONFLICT: {
    meaning: "Two options exclude each other, or an option needs another one that is absent.",
    remedy: "Keep the option that you mean, or add the one that is absent.",
  },
  TIDEGATE_KEY_INVALID: {
    meaning: "A key is neither a string nor bytes.",
    remedy:
      "Pass a string or a Uint8Array. `undefined` here often means that a header or a user id was absent. Decide by what such a request counts, for example by its address.",
  },
  TIDEGATE_COST_INVALID: {
    meaning: "A cost, or a cost times its weight, is not a whole number from 0 to 2^53 - 1.",
    remedy: "Round before calling, and choose the unit so that the smallest cost is 1.",
  },
  TIDEGATE_DECISION_INVALID: {
    meaning: "`refund` received something other than a decision, such as a copy of one.",
    remedy: "Keep the object that `check` or `charge` returned, and pass that object.",
  },
  TIDEGATE_POLICY_UNSUITABLE: {
    meaning: "The call makes no sense for the policies of this limiter.",
    remedy:
      "`release` needs a `concurrency` policy, and `refund` needs one of the others. Permits of a `concurrency` policy are released, not refunded.",
  },
  TIDEGATE_VERSIONS_DIFFER: {
    meaning:
      "A policy or a cluster was made by one version of `@tidegate/core`, and passed to another.",
    remedy:
      "Install one version: `npm ls @tidegate/core` shows which packages brought which. Adapters need the core of their own version.",
  },
};

/** A mistake in how tidegate was called. The message is a sentence that says what to change. */
export class TidegateError extends TypeError {
  override readonly name = "TidegateError";
  /** The stable code, for programs and for looking it up in the docs. */
  readonly code: TidegateErrorCode;

  constructor(code: TidegateErrorCode, message: string) {
    super(`${message} [${code}]`);
    this.code = code;
  }
}

/** Throws when an assumption of the code does not hold: a defect of tidegate, never bad input. */
export function invariant(condition: boolean, fact: string): asserts condition {
  if (!condition) throw new Error(`tidegate invariant broken: ${fact}`);
}
