/**
 * The functions of users: their types, and how their answers are awaited.
 *
 * A user's function may return a value or a promise. A value is used in the same tick; only a value
 * with a `then` is awaited. `Steps` serve both: a generator that yields a promise where it needs
 * the resolved value, and yields nothing else.
 */

import type { Key } from "./counter.ts";

/** A value, or a promise of it. */
export type MaybePromise<Value> = Value | PromiseLike<Value>;

/** A key as users' functions receive it: a number from a key function stays a number. */
export type ShownKey = Key | number | bigint;

/** A user's function, whose answer may be a promise. */
export type Asked<Request, Response, Answer> = (
  request: Request,
  response: Response,
) => MaybePromise<Answer>;

/** A user's function that also receives the key. */
export type AskedWithKey<Request, Response, Answer> = (
  request: Request,
  response: Response,
  key: ShownKey,
) => MaybePromise<Answer>;

/** The cost of a hit: a number, or a number for each named policy. */
export type Cost = number | Readonly<Record<string, number>>;

/** What happens to a request when a user's function fails. */
export type OnError = "throw" | "open" | "closed";

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as { then?: unknown }).then === "function"
  );
}

/**
 * Work that may have to wait. `yield` returns what the promise resolved with, typed by its context.
 *
 * @example const skips = isThenable(answer) ? yield answer : answer;
 */
export type Steps<Result> = Generator<PromiseLike<unknown>, Result, never>;

/** Runs the steps in this tick up to the first promise; returns a promise only if there was one. */
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
