/**
 * The functions that users give in options, as far as they have one form everywhere.
 */

import type { Key } from "./counter.ts";
import type { MaybePromise } from "./maybe-promise.ts";

/** A key as users' functions get it: a number that a key function answered with stays a number. */
export type ShownKey = Key | number | bigint;

/** A function of a user's that may answer later. */
export type Asked<Request, Response, Answer> = (
  request: Request,
  response: Response,
) => MaybePromise<Answer>;

/** A function that gets the key as well. */
export type AskedWithKey<Request, Response, Answer> = (
  request: Request,
  response: Response,
  key: ShownKey,
) => MaybePromise<Answer>;

/** What a hit costs: a number, or a number for each policy that differs, by its name. */
export type Cost = number | Readonly<Record<string, number>>;

/** What becomes of a request when a user's function fails. */
export type OnError = "throw" | "open" | "closed";
