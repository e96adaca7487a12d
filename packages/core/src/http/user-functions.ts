/** The types of users' functions that are the same in all adapters. */

import type { Key } from "./counter.ts";
import type { MaybePromise } from "./maybe-promise.ts";

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
