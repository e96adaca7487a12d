/**
 * What may be there already and what has to be waited for.
 *
 * A user's function that answers at once is used at once, so that a request goes on in the same tick;
 * only what has a `then` is awaited.
 */

export type MaybePromise<Value> = Value | PromiseLike<Value>;

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as { then?: unknown }).then === "function"
  );
}
