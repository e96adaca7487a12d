/**
 * Whether this replica is cut off from others that it knows.
 *
 * A transport that has said so for a moment is believed, also when nobody has been heard yet. Otherwise
 * it is a cut when half of those that were there, or more, fall silent at about the same time without
 * having said goodbye, or say that they do not hear this one: that is what a cut looks like from inside,
 * and a rolling deploy does not. One that falls silent alone among several has crashed; of an only other
 * one nobody can tell, and it is taken for a cut. It ends when they are heard again, when as many others
 * are there, or when they are forgotten.
 */

import type { Member } from "./member.ts";
import type { Members } from "./members.ts";

/** Transports may change hands for so long, as when the process that relays for others leaves. */
const GRACE_MS = 250;
/** Silences that begin further apart than this have nothing to do with each other. */
const TOGETHER_MS = 10_000;

/** What a replica may do while it does not hear the others. */
export const SEPARATED_MODES = ["open", "share", "closed"] as const;
export type SeparatedMode = (typeof SEPARATED_MODES)[number];

/** That a replica does not hear the others. */
export interface Separation {
  /** Cut off from those that it knows, or just come and not yet told. */
  readonly kind: "cut" | "cold";
  /** How many replicas share the limits, this one included. */
  readonly replicas: number;
  /** Tells one time from another. */
  readonly number: number;
}

export class Isolation {
  isCut = false;
  /** How many replicas there were when it began, this one included. */
  known = 1;
  /** How often it has begun. */
  cuts = 0;

  /** When to look again, since the transport has just gone away. */
  dueAtMs: number = Number.POSITIVE_INFINITY;

  #expected = new Set<Member>();
  #missing = 0;

  /** How it is, for whoever operates the process. */
  get sentence(): string {
    if (!this.isCut) return "the other replicas are heard again";
    const others = this.known - 1;
    const replicas = `other replica${others === 1 ? "" : "s"}`;
    const whom = this.#missing < others ? `${this.#missing} of ${others}` : String(others);
    const what = others === 0 ? "not connected" : `cut off from ${whom} ${replicas}`;
    return `${what}: limiters decide as 'onPartition' says`;
  }

  /** What keeps this replica apart from the others, if anything does. */
  separation(isCold: boolean, aliveCount: number): Separation | null {
    if (this.isCut) return { kind: "cut", replicas: this.known, number: this.cuts };
    return isCold ? { kind: "cold", replicas: aliveCount, number: 0 } : null;
  }

  /**
   * Looks again; returns whether anything has changed.
   *
   * @param isNew whether this replica has just come, and may yet be connected
   */
  look(now: number, isConnected: boolean, isNew: boolean, members: Members): boolean {
    const mayBeAway = !isConnected && !this.isCut && !(isNew && this.#expected.size === 0);
    this.dueAtMs = mayBeAway ? Math.min(this.dueAtMs, now + GRACE_MS) : Number.POSITIVE_INFINITY;
    const isAway = now >= this.dueAtMs;
    const present: Member[] = [];
    for (const member of members.all()) if (member.isPresent) present.push(member);
    const missing = Array.from(this.#expected).filter(
      (member) => !member.isPresent && !member.hasLeft && members.find(member.id) === member,
    );
    if (this.isCut) {
      if (!isConnected) return false;
      if (missing.length > 0 && present.length < this.#expected.size) return false;
      this.isCut = false;
      this.#expected = new Set(present);
      return true;
    }
    const together = missing.filter(({ heardAtMs }) => now - heardAtMs < TOGETHER_MS);
    const others = new Set([...present, ...together]);
    const isAlone = together.length === 1 && others.size > 1;
    const isHalfGone = together.length > 0 && 2 * together.length >= others.size;
    if ((isHalfGone && !isAlone) || isAway) {
      this.isCut = true;
      this.#missing = isAway ? this.#expected.size : missing.length;
      this.cuts++;
      this.known = this.#expected.size + 1;
      return true;
    }
    this.#expected = others;
    return false;
  }
}
