/**
 * Keys that users' functions answer with, made safe to count by.
 *
 * Several parts make one key in which no part can pass for two: each is preceded by its length. What
 * is no key at all, such as the id of a user who has not signed in, the user instead of the id or a
 * number that is none, is null, and then the request is counted by its address.
 */

import { createHash } from "node:crypto";
import { TidegateError } from "../../base/errors.ts";
import { shown } from "../../base/options.ts";
import type { Key } from "../counter.ts";
import type { ShownKey } from "../user-functions.ts";

/** What a key function may answer with: several parts are kept apart, and nothing means the address. */
export type KeyAnswer =
  | Key
  | number
  | bigint
  | readonly (string | number | bigint)[]
  | null
  | undefined;

/** Longer keys are hashed before they are handed to a store that is not ours. */
const PLAIN_KEY_LENGTH_MAX = 256;

/**
 * One key out of several parts, such as a tenant and a user: what a key function that answers with these in an
 * array counts by.
 *
 * @example
 * compositeKey("a", "b:c") !== compositeKey("a:b", "c");
 */
export function compositeKey(...parts: readonly (string | number | bigint)[]): string {
  return parts.map((part) => `${String(part).length}:${part}`).join("");
}

/** The key in an answer; null where there is none in it. */
export function keyOf(answer: unknown): Key | null {
  return isKeyAnswer(answer) ? keyIn(answer) : null;
}

/** The key in an answer as users' functions get it; null if there is none in it. */
export function shownKeyOf(answer: unknown): ShownKey | null {
  const key = keyOf(answer);
  return key === null || !isNumeric(answer) ? key : answer;
}

/** What a limiter counts by, of a key as users' functions get it. */
export function countedKey(key: ShownKey): Key {
  return isNumeric(key) ? String(key) : key;
}

/** The user name in an answer; throws where it is none, since no address stands in for a name. */
export function nameOf(answer: unknown): ShownKey | null {
  if (isKeyAnswer(answer)) return shownKeyOf(answer);
  throw new TidegateError(
    "TIDEGATE_KEY_INVALID",
    `a user name must be a string, a number, bytes or an array of strings, got ${shown(answer)}`,
  );
}

function keyIn(answer: KeyAnswer): Key | null {
  if (answer === undefined || answer === null || answer === "") return null;
  if (typeof answer === "string") return answer;
  if (typeof answer === "number") return Number.isFinite(answer) ? String(answer) : null;
  if (typeof answer === "bigint") return String(answer);
  if (ArrayBuffer.isView(answer)) return answer.byteLength > 0 ? answer : null;
  return answer.some(saysSomething) && !answer.some(isNoNumber) ? compositeKey(...answer) : null;
}

/** A key as a store outside of this process may be given it: short, and without control characters. */
export function storedKey(key: Key): string {
  const text = typeof key === "string" ? key : Buffer.from(key).toString("base64url");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point.
  if (text.length <= PLAIN_KEY_LENGTH_MAX && !/[\x00-\x1f\x7f]/.test(text)) return text;
  return `sha256:${createHash("sha256").update(text).digest("base64url")}`;
}

function isKeyAnswer(answer: unknown): answer is KeyAnswer {
  if (answer === undefined || answer === null || isPart(answer)) return true;
  return Array.isArray(answer) ? answer.every(isPart) : ArrayBuffer.isView(answer);
}

function isNumeric(answer: unknown): answer is number | bigint {
  return typeof answer === "number" || typeof answer === "bigint";
}

function isPart(part: unknown): part is string | number | bigint {
  return typeof part === "string" || typeof part === "number" || typeof part === "bigint";
}

function saysSomething(part: string | number | bigint): boolean {
  return part !== "";
}

function isNoNumber(part: string | number | bigint): boolean {
  return typeof part === "number" && !Number.isFinite(part);
}
