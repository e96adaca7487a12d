/**
 * The flush schedule: when counts are published. The nearer a key is to its limit, the sooner.
 *
 * The unsent hits of a key are urgent as soon as they reach half of what is left of its limit,
 * divided by the number of replicas. So the hits that all replicas hold back together never carry a
 * key past its limit, and near the limit each hit is urgent. An urgent frame leaves as soon as the
 * least spacing between frames allows. Other counts wait longer and leave with them.
 * docs/internals/how-it-works.md#publishing tells users this rule.
 */

export interface FlushScheduleOptions {
  /** The least time between two frames of this process, while there are few other replicas. */
  readonly spacingMs: number;
  /** How long a change waits at most when its key is past half of its limit, and otherwise. */
  readonly nearMs: number;
  readonly farMs: number;
}

/** Counts of keys far from their limit may wait longer. */
const FAR_FACTOR = 4;
const SPACING_MS = 5;

/** @param flushMs how long counts of keys past half of their limit wait at most */
export function scheduleOf(flushMs: number): FlushScheduleOptions {
  const spacingMs = Math.min(SPACING_MS, flushMs);
  return { spacingMs, nearMs: flushMs, farMs: FAR_FACTOR * flushMs };
}

/**
 * With more replicas than one for each of these, frames are spaced wider: all receive those of all.
 */
const SPACING_PER_REPLICA_MS = 0.25;
const SPACING_MS_MAX = 100;

/**
 * Whether a replica has to publish its unsent hits of a key at once.
 *
 * @param left what the limit still allows, as far as this replica knows
 * @param replicaCount how many replicas may hold hits of the key back
 */
export function isUrgent(unsent: number, left: number, replicaCount: number): boolean {
  return 2 * replicaCount * unsent >= left;
}

/** Each method that makes a frame due returns whether the next one leaves sooner than before. */
export class FlushSchedule {
  /** When the next frame is to leave; infinite while there is nothing to publish. */
  dueAtMs: number = Number.POSITIVE_INFINITY;
  readonly #options: FlushScheduleOptions;
  /** Until when no other frame may leave. */
  #spacedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(options: FlushScheduleOptions) {
    this.#options = options;
  }

  /**
   * A change that should leave at a time: now for an opening, a reset, a mark, and urgent hits.
   */
  due(atMs: number): boolean {
    const dueAtMs = Math.max(atMs, this.#spacedUntilMs);
    if (dueAtMs >= this.dueAtMs) return false;
    this.dueAtMs = dueAtMs;
    return true;
  }

  /** Hits of a key that has used so much of its limit, none of them urgent. */
  changed(nowMs: number, limit: number, used: number): boolean {
    const { nearMs, farMs } = this.#options;
    return this.due(nowMs + (2 * used >= limit ? nearMs : farMs));
  }

  /** The least time between two frames, with so many replicas. */
  spacingMs(replicas: number): number {
    const wideMs = Math.min(Math.ceil(SPACING_PER_REPLICA_MS * replicas), SPACING_MS_MAX);
    return Math.max(this.#options.spacingMs, wideMs);
  }

  /** A frame with all changes has left, to so many replicas. */
  left(nowMs: number, replicas: number): void {
    this.#spacedUntilMs = nowMs + this.spacingMs(replicas);
    this.dueAtMs = Number.POSITIVE_INFINITY;
  }
}
