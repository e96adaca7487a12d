/** A mistake in what was typed: a sentence that says what to type instead. */

export class UsageError extends Error {}
