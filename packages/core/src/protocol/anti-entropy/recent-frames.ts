/**
 * The last frames of every replica, as received, to be relayed to replicas that did not receive
 * them.
 *
 * They are relayed byte for byte, so the seal of their origin stays valid. All origins share one
 * bounded buffer; the oldest frames of all make room for new ones.
 */

import type { Member } from "../membership/member.ts";

const { compare } = Buffer;

const FRAMES_MAX = 512;
const BYTES_MAX = 4 * 1024 * 1024;

/** The origin of a frame, as its latest frame describes it. */
export type Origin = Pick<Member, "id" | "clockMs" | "sent">;

interface Kept {
  readonly from: string;
  readonly atMs: number;
  readonly number: number;
  readonly frame: Uint8Array;
}

export class RecentFrames {
  #kept: Kept[] = [];
  /** The same frames by origin, for fast lookup. */
  readonly #of = new Map<string, Kept[]>();
  #bytes = 0;

  /**
   * Keeps the latest frame of an origin unless it is kept already. The bytes must not change later.
   */
  keep({ id: from, clockMs: atMs, sent }: Origin, frame: Uint8Array): void {
    const own = this.#of.get(from) ?? [];
    // The same frame has the same clock reading.
    for (let at = own.length - 1; own[at]?.atMs === atMs; at--) {
      const kept = own[at]!.frame;
      if (kept.length === frame.length && compare(kept, frame) === 0) return;
    }
    // Frame numbers only rise, even if the member was forgotten in between: the last is the newest.
    const kept = { from, atMs, number: Math.max(sent, own.at(-1)?.number ?? 0), frame };
    this.#kept.push(kept);
    this.#enter(kept);
    this.#bytes += frame.length;
    if (this.#kept.length <= FRAMES_MAX && this.#bytes <= BYTES_MAX) return;
    // Drops half of them at once, so that making room is rare.
    const dropped = this.#kept.splice(0, Math.ceil(this.#kept.length / 2));
    for (const { frame: old } of dropped) this.#bytes -= old.length;
    this.#of.clear();
    for (const left of this.#kept) this.#enter(left);
  }

  /** The last frame that `after` finds, in constant time. */
  newest(from: string, since: number, last: boolean): Uint8Array | undefined {
    const kept = this.#of.get(from)?.at(-1);
    return kept !== undefined && (last || kept.number > since) ? kept.frame : undefined;
  }

  /**
   * The kept frames of a replica after frame number `since`, the oldest first.
   *
   * @param last whether to include its last frame in any case, which shows that the replica is
   *   alive
   */
  after(from: string, since: number, last: boolean): Uint8Array[] {
    const kept = this.#of.get(from) ?? [];
    return kept
      .filter(({ number }, index) => number > since || (last && index === kept.length - 1))
      .map(({ frame }) => frame);
  }

  forget(): void {
    this.#kept = [];
    this.#of.clear();
    this.#bytes = 0;
  }

  #enter(kept: Kept): void {
    const own = this.#of.get(kept.from);
    if (own === undefined) this.#of.set(kept.from, [kept]);
    else own.push(kept);
  }
}
