/**
 * Warnings about mistakes that only show at run time. Each warning is emitted once.
 *
 * Each has a code, a page in the docs, and a switch of its own.
 */

import { DOCS_URL } from "../base/errors.ts";
import { emitWarning } from "../runtime/emit-warning.ts";
import { WARNING_CODES, type WarningCode } from "./warning-codes.ts";

/** A warning about a likely mistake. */
export class TidegateWarning extends Error {
  override readonly name = "TidegateWarning";
  readonly code: WarningCode;

  constructor(code: WarningCode, seen: string, cause?: unknown) {
    const { meaning, remedy } = WARNING_CODES[code];
    const page = `${DOCS_URL}/reference/warnings.md#${code.toLowerCase()}`;
    super(`${seen === "" ? "" : `${seen} `}${meaning} ${remedy} See ${page}`);
    this.code = code;
    if (cause !== undefined) this.cause = cause;
  }
}

/** Which warnings are emitted: all or none, or each by the name of its switch. */
export type WarningSwitches = boolean | Readonly<Record<string, boolean | undefined>>;

/** How many stack frames are searched for a caller. */
const FRAMES = 64;

/** The most failures that a limiter reports in a second. */
const REPORTS_MAX = 10;

/** Warnings already emitted by limiters that were made per request. */
const saidPerRequest = new Set<WarningCode>();

/** Emits each warning once, and reports failures. */
export class Warnings {
  readonly #switches: Readonly<Record<string, boolean | undefined>>;
  readonly #log: (warning: TidegateWarning) => void;
  #said = new Set<WarningCode>();
  #second = 0;
  #reports = 0;
  #unreported = 0;

  constructor(
    switches: WarningSwitches = true,
    log: (warning: TidegateWarning) => void = emitWarning,
  ) {
    this.#switches = typeof switches === "boolean" ? { default: switches } : switches;
    this.#log = log;
  }

  /**
   * @param seen the observation, as the first sentence
   * @param by the switch, if it is not the code's own
   */
  say(
    code: WarningCode,
    seen = "",
    cause?: unknown,
    by: string = WARNING_CODES[code].switch,
  ): void {
    if (this.#said.has(code) || !this.#isWanted(by)) return;
    this.#said.add(code);
    this.#emit(new TidegateWarning(code, seen, cause));
  }

  /**
   * Warns that a limiter was made per request. All such limiters together emit each warning once.
   */
  sayMadePerRequest(): void {
    this.#said = saidPerRequest;
    this.say("TIDEGATE_MADE_PER_REQUEST");
  }

  /**
   * Reports a failure each time it happens, up to a limit per second. `validate: false` does not
   * silence it, because that option is about mistakes in the application; its own switch does.
   */
  report(code: WarningCode, cause: unknown, nowMs: number): void {
    if (this.#switches[WARNING_CODES[code].switch] === false) return;
    const second = Math.floor(nowMs / 1_000);
    if (second !== this.#second) this.#reports = 0;
    this.#second = second;
    if (this.#reports++ >= REPORTS_MAX) {
      this.#unreported++;
      return;
    }
    const more = this.#unreported;
    this.#unreported = 0;
    const seen = more === 0 ? "" : `It happened ${more} more times since the last report.`;
    this.#emit(new TidegateWarning(code, seen, cause));
  }

  #emit(warning: TidegateWarning): void {
    try {
      this.#log(warning);
    } catch {
      emitWarning(warning);
    }
  }

  #isWanted(by: string): boolean {
    return this.#switches[by] ?? this.#switches["default"] ?? true;
  }
}

/**
 * Whether a line of the stack matches `caller`: a limiter made while a request is handled is a
 * mistake.
 */
export function isCalledBy(caller: RegExp): boolean {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAMES;
  const { stack = "" } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  return caller.test(stack);
}
