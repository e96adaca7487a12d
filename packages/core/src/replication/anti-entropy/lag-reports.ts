/**
 * What one member reports that it does not receive, and what was relayed to it.
 *
 * A heartbeat names only a few replicas at a time, so a report outlasts the heartbeat that brought
 * it.
 */

import type { Behind } from "../../wire/control-sections.ts";
import { idOf } from "../membership/replica-id.ts";

/** The longest wait until frames that did not help are relayed again. */
const AGAIN_MS_MAX = 60_000;
/** The most replicas that are remembered as not received by one member. */
const GAPS_MAX = 64;

interface Gap {
  /** The last frame of the other replica that the member received without a gap. */
  readonly number: number;
  /** Whether the report before named the same number. */
  readonly isStuck: boolean;
}

interface Relayed {
  readonly after: number;
  readonly newest: Uint8Array | undefined;
  readonly waitMs: number;
  readonly againAtMs: number;
}

export class LagReports {
  /** The replicas that its last heartbeat named, and the last frame that it received of each. */
  named: ReadonlyMap<string, number> = new Map();
  readonly #gaps = new Map<string, Gap>();
  readonly #relayed = new Map<string, Relayed>();

  reported(behind: readonly Behind[]): void {
    this.named = new Map(behind.map(({ low, high, number }) => [idOf(low, high), number]));
    for (const [id, number] of this.named) {
      remember(this.#gaps, id, { number, isStuck: this.#gaps.get(id)?.number === number });
    }
  }

  /** Whether nothing that was relayed to it since its first report has helped. */
  isStuckOn(id: string): boolean {
    return this.#gaps.get(id)?.isStuck === true;
  }

  /**
   * Whether to relay frames of a replica: new ones at once, the same ones ever more rarely. Frames
   * of a dead replica that no member received are missing for good.
   *
   * @param after the last frame of that replica that the member received
   * @param leastMs until the same frames are relayed again for the first time
   */
  isRelayDue(
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
    remember(this.#relayed, id, { after, newest, waitMs, againAtMs: now + waitMs });
    return true;
  }
}

/** Remembers the latest entry of each id, and forgets the oldest entries. */
function remember<What>(memory: Map<string, What>, id: string, what: What): void {
  memory.delete(id);
  memory.set(id, what);
  for (const oldest of memory.keys()) {
    if (memory.size <= GAPS_MAX) return;
    memory.delete(oldest);
  }
}
