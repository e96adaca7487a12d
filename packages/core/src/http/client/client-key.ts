/**
 * Turns the answers of users' key functions into keys that are safe to count by.
 *
 * Several parts make one key. Each part is preceded by its length, so no two lists of parts give
 * the same key. An answer without a key gives null, and the request is counted by its address.
 * Examples are the id of a user who has not signed in, a user object instead of its id, and a
 * number that is not finite.
 */

import { createHash } from "node:crypto";
import { TidegateError } from "../../base/errors.ts";
import { shown } from "../../base/options.ts";
import type { Key } from "../counter.ts";
import type { ShownKey } from "../user-functions.ts";

/** The answer of a key function: an array keeps its parts apart, and no value means the address. */
export type KeyAnswer =
  | Key
  | number
  | bigint
  | readonly (string | number | bigint)[]
  | null
  | undefined;

/** Longer keys are hashed before they are passed to a store of another package. */
const PLAIN_KEY_LENGTH_MAX = 256;

/**
 * Combines several parts, such as a tenant and a user, into one key. A key function that returns an
 * array of parts is counted by the same key.
 *
 * @example compositeKey("a", "b:c") !== compositeKey("a:b", "c");
 */
export function compositeKey(...parts: readonly (string | number | bigint)[]): string {
  return parts.map((part) => `${String(part).length}:${part}`).join("");
}

/** The key in an answer; null if there is none. */
export function keyOf(answer: unknown): Key | null {
  return isKeyAnswer(answer) ? keyIn(answer) : null;
}

/** The key in an answer, as users' functions receive it; null if there is none. */
export function shownKeyOf(answer: unknown): ShownKey | null {
  const key = keyOf(answer);
  return key === null || !isNumeric(answer) ? key : answer;
}

/** The key that a limiter counts, for a key as users' functions receive it. */
export function countedKey(key: ShownKey): Key {
  return isNumeric(key) ? String(key) : key;
}

/** The user name in an answer; throws if it is none, because an address cannot replace a name. */
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

/** The form of a key for an external store: short, and without control characters. */
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
