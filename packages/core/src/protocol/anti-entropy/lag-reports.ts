/**
 * What one member reports that it does not receive, and what was relayed to it.
 *
 * A heartbeat names only a few replicas at a time, so a report outlasts the heartbeat that brought
 * it.
 *
 * The reports also show whether this replica reaches the member. A partition may be one-way, and a
 * replica that is not received would otherwise not notice it. Frames get lost, so a member names
 * every replica now and then. The member does not receive this replica if several heartbeats in a
 * row name it with the same frame number. In that time, other replicas could have relayed later
 * frames to it. When the member stops naming it, the member may just have forgotten it. Only its
 * sync reply to a request shows that it receives this replica again.
 */

import type { Behind } from "../../wire/control-sections.ts";
import { idOf } from "../membership/replica-id.ts";

/** The longest wait until frames that did not help are relayed again. */
const AGAIN_MS_MAX = 60_000;
/** The most replicas that are remembered as not received by one member. */
const GAPS_MAX = 64;
/** How many heartbeats in a row name this replica before it takes itself to be unreached. */
const UNREACHED_BEATS = 3;

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
  /** Heartbeats in a row that name this replica with the same frame number. */
  #selfBeats = 0;
  #selfNumber: number | undefined;
  /** The frame number after which this replica last asked the member for its counts. */
  #requestedSince: number | undefined;

  /** A heartbeat names the replicas that the member is behind on; `self` is this one. */
  reported(behind: readonly Behind[], self: string): void {
    this.named = new Map(behind.map(({ low, high, number }) => [idOf(low, high), number]));
    for (const [id, number] of this.named) {
      remember(this.#gaps, id, { number, isStuck: this.#gaps.get(id)?.number === number });
    }
    const number = this.named.get(self);
    if (number !== undefined || !this.isUnreached) {
      const isSame = number !== undefined && number === this.#selfNumber;
      this.#selfBeats = isSame ? this.#selfBeats + 1 : 0;
    }
    this.#selfNumber = number;
  }

  /** Whether the member does not receive this replica. */
  get isUnreached(): boolean {
    return this.#selfBeats >= UNREACHED_BEATS;
  }

  /** This replica asks the member for its counts after a frame number. */
  requested(since: number): void {
    this.#requestedSince = since;
  }

  /** It replied to a request after this frame number, which hardly any other replica sent. */
  replied(since: number): void {
    if (since !== this.#requestedSince) return;
    this.#requestedSince = undefined;
    this.#selfBeats = 0;
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
