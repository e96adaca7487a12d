/**
 * The subjects that replicas of one namespace meet at: `<subject>.v1.<namespace>.<replica>` for what a
 * replica tells everybody, and `<subject>.v1.<namespace>.to.<replica>` for what is meant for one.
 *
 * The first has as many tokens as there are in the wildcard that everybody subscribes to, and the
 * second one more, so nothing is heard twice.
 */

import { invalidOption } from "@tidegate/core/transport";

/** Of what is said under these subjects. What cannot be understood is then not even received. */
const VERSION = "v1";
const LENGTH_MAX = 128;
const TOKENS_MAX = 8;
const PREFIX = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;

export const SUBJECT_DEFAULT = "tidegate";

/** What all subjects begin with, as an option. */
export function subjectPrefix(given: unknown): string {
  if (given === undefined) return SUBJECT_DEFAULT;
  const isFine =
    typeof given === "string" &&
    given.length <= LENGTH_MAX &&
    PREFIX.test(given) &&
    given.split(".").length <= TOKENS_MAX &&
    !given.startsWith("_INBOX");
  if (isFine) return given;
  throw invalidOption(
    "subject",
    `1 to ${TOKENS_MAX} words of letters, digits, '_' and '-' with dots between them`,
    given,
  );
}

export class Subjects {
  /** What everything lies below, for permissions. */
  readonly everything: string;
  /** What everybody subscribes to. */
  readonly all: string;
  /** What this replica publishes to all others. */
  readonly own: string;
  /** What is meant for this replica. */
  readonly mine: string;
  readonly #base: string;

  constructor(prefix: string, namespace: string, replica: string) {
    this.#base = `${prefix}.${VERSION}.${namespaceToken(namespace)}`;
    this.everything = `${this.#base}.>`;
    this.all = `${this.#base}.*`;
    this.own = `${this.#base}.${replica}`;
    this.mine = this.to(replica);
  }

  to(replica: string): string {
    return `${this.#base}.to.${replica}`;
  }

  /** Whether a subject is one of these at all: others may use the same connection. */
  includes(subject: string): boolean {
    return subject.startsWith(`${this.#base}.`);
  }
}

/** A namespace as one token: what a token cannot hold is written as `%` and two digits a byte. */
function namespaceToken(namespace: string): string {
  if (namespace === "") return "%";
  let token = "";
  for (const byte of new TextEncoder().encode(namespace)) {
    const character = String.fromCharCode(byte);
    const isPlain = /[A-Za-z0-9_-]/.test(character);
    token += isPlain ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return token;
}
