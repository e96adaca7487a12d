/**
 * The NATS subjects of one namespace: `<subject>.v1.<namespace>.<replica>` for what a replica
 * publishes to all, and `<subject>.v1.<namespace>.to.<replica>` for what is sent to one.
 *
 * The first has as many tokens as the wildcard that all replicas subscribe to, and the second has
 * one more, so no frame is received twice.
 */

import { invalidOption } from "@tidegate/core/transport";

/**
 * The version of the frames below these subjects. Frames of another version are not even received.
 */
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
  /** The wildcard for all subjects of the namespace, for permissions. */
  readonly everything: string;
  /** The wildcard that all replicas subscribe to. */
  readonly all: string;
  /** What this replica publishes to all others. */
  readonly own: string;
  /** Where other replicas send frames for this one. */
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

  /** Whether a subject is one of these at all: other code may use the same connection. */
  includes(subject: string): boolean {
    return subject.startsWith(`${this.#base}.`);
  }
}

/** A namespace as one token: a byte that a token cannot hold is written as `%` and two digits. */
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
