/**
 * Whether this replica is cut off from others that it knows.
 *
 * A transport that says so is believed at once. Otherwise it is a cut when half of those that were
 * there, or more, fall silent at about the same time without having said goodbye, or say that they do
 * not hear this one: that is what a cut looks like from inside, and a rolling deploy does not. One that crashes alone among several is no
 * cut; the only other one that falls silent is taken for one, since nobody can tell. It ends when they
 * are heard again, when as many others are there, or when they are forgotten.
 */

import type { Member, Members } from "./members.ts";

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

  #expected = new Set<Member>();

  /** How it is, for whoever operates the process. */
  get sentence(): string {
    if (!this.isCut) return "the other replicas are heard again";
    const others = this.known - 1;
    const whom = `${others} other replica${others === 1 ? "" : "s"}`;
    return `cut off from ${whom}: limiters decide as 'onPartition' says`;
  }

  /** What keeps this replica apart from the others, if anything does. */
  separation(isCold: boolean, aliveCount: number): Separation | null {
    if (this.isCut) return { kind: "cut", replicas: this.known, number: this.cuts };
    return isCold ? { kind: "cold", replicas: aliveCount, number: 0 } : null;
  }

  /** Looks again; returns whether anything has changed. */
  look(now: number, isConnected: boolean, members: Members): boolean {
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
    const isHalfGone = together.length > 0 && 2 * together.length >= others.size;
    if (isHalfGone || (!isConnected && this.#expected.size > 0)) {
      this.isCut = true;
      this.cuts++;
      this.known = this.#expected.size + 1;
      return true;
    }
    this.#expected = others;
    return false;
  }
}
