/**
 * Answers that are there at once or later, and functions that wait for them only where they must.
 *
 * A user's function may answer with a value or with a promise. The value is used in the same tick; only
 * what has a `then` is awaited. `Steps` are written once for both: a generator that yields a promise where
 * it needs what the promise resolves with, and yields nothing else.
 */

export type MaybePromise<Value> = Value | PromiseLike<Value>;

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as { then?: unknown }).then === "function"
  );
}

/**
 * Work that may have to wait. What `yield` gives back is what the promise resolved with, and takes the type
 * of its place.
 *
 * @example
 * const skips = isThenable(answer) ? yield answer : answer;
 */
export type Steps<Result> = Generator<PromiseLike<unknown>, Result, never>;

/** Does the steps in this tick, up to the first promise; the result is a promise only if there was one. */
export function run<Result>(steps: Steps<Result>): Result | Promise<Result> {
  const step = steps.next();
  return step.done === true ? step.value : finish(steps, step);
}

async function finish<Result>(
  steps: Steps<Result>,
  first: IteratorResult<PromiseLike<unknown>, Result>,
): Promise<Result> {
  let step = first;
  while (step.done !== true) {
    step = await Promise.resolve(step.value).then(
      (answer) => steps.next(answer as never),
      (error: unknown) => steps.throw(error),
    );
  }
  return step.value;
}
