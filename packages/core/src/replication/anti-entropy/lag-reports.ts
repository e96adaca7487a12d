/**
 * Whom one replica has said that it does not hear properly, and what was passed on to it.
 *
 * It names a few at a time, so what is known of each outlasts the heartbeat that named it.
 */

import type { Behind } from "../../wire/heartbeat-section.ts";
import { idOf } from "../membership/replica-id.ts";

/** The longest wait until what has not helped is passed on again. */
const AGAIN_MS_MAX = 60_000;
/** Replicas that are remembered as not heard by one. */
const GAPS_MAX = 64;

interface Gap {
  /** Up to where it has heard the other. */
  readonly number: number;
  /** Whether it had come no further the time before. */
  readonly isStuck: boolean;
}

interface Relayed {
  readonly after: number;
  readonly newest: Uint8Array | undefined;
  readonly waitMs: number;
  readonly againAtMs: number;
}

export class LagReports {
  /** Whom its last heartbeat named, and up to where it has heard them. */
  named: ReadonlyMap<string, number> = new Map();
  readonly #gaps = new Map<string, Gap>();
  readonly #relayed = new Map<string, Relayed>();

  said(behind: readonly Behind[]): void {
    this.named = new Map(behind.map(({ low, high, number }) => [idOf(low, high), number]));
    for (const [id, number] of this.named) {
      keep(this.#gaps, id, { number, isStuck: this.#gaps.get(id)?.number === number });
    }
  }

  /** Whether nothing of what was passed on to it since it first said so has helped. */
  isStuckOn(id: string): boolean {
    return this.#gaps.get(id)?.isStuck === true;
  }

  /**
   * Whether to pass on frames of a replica: at once what is new, and more and more rarely what was
   * passed on before. What nobody has heard of one that is gone is missing for good.
   *
   * @param after up to where that replica has been heard
   * @param leastMs until the same is passed on again for the first time
   */
  isWorthAgain(
    id: string,
    after: number,
    newest: Uint8Array | undefined,
    now: number,
    leastMs: number,
  ): boolean {
    const relayed = this.#relayed.get(id);
    const isNews = relayed === undefined || relayed.newest !== newest || after > relayed.after;
    if (!isNews && now < relayed.againAtMs) return false;
    const waitMs = isNews ? leastMs : Math.min(2 * relayed.waitMs, AGAIN_MS_MAX);
    keep(this.#relayed, id, { after, newest, waitMs, againAtMs: now + waitMs });
    return true;
  }
}

/** Keeps what was said last, and gives up what was said longest ago. */
function keep<What>(memory: Map<string, What>, id: string, what: What): void {
  memory.delete(id);
  memory.set(id, what);
  for (const oldest of memory.keys()) {
    if (memory.size <= GAPS_MAX) return;
    memory.delete(oldest);
  }
}
