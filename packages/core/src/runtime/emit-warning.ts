/**
 * Emits a warning of the process, in every realm.
 *
 * Node refuses an error of another realm. Under Jest and in `vm` contexts every error that a
 * package creates is one. So a warning is emitted as text with its type and code, and the cause as
 * its detail.
 */

import { shown } from "../base/options.ts";

/** What is emitted: an error, or an object with the same fields. */
export interface EmittedWarning {
  readonly name: string;
  readonly message: string;
  readonly code?: unknown;
  readonly cause?: unknown;
}

/** Emits a warning. Never throws, because a warning must not change what becomes of a request. */
export function emitWarning(warning: EmittedWarning): void {
  try {
    const { name, message, code, cause } = warning;
    process.emitWarning(message, {
      type: name,
      ...(typeof code === "string" && { code }),
      ...(cause !== undefined && { detail: `Cause: ${described(cause)}` }),
    });
  } catch {
    // There is no other place to report to.
  }
}

/** The stack of an error of any realm, or a short text for anything else that was thrown. */
function described(cause: unknown): string {
  const stack = typeof cause === "object" && cause !== null && Reflect.get(cause, "stack");
  return typeof stack === "string" ? stack : shown(cause);
}
