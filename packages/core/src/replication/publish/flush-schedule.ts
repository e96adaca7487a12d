/**
 * When what has been counted leaves: the nearer a key is to its limit, the sooner.
 *
 * Every replica keeps back at most its part of half of what is left. So all that is kept back
 * together can never by itself carry a key past its limit, and it shrinks to single hits as the limit
 * comes near. What is far from its limit leaves with the rest, after a while. Urgent is the next
 * moment that the least spacing between frames allows.
 */

export interface FlushScheduleOptions {
  /** The least time between two frames of this process, while there are few others. */
  readonly spacingMs: number;
  /** How long a change waits at most when its key is past half of its limit, and otherwise. */
  readonly nearMs: number;
  readonly farMs: number;
}

/** More replicas than one for each of these leave more time between frames: each hears those of all. */
const SPACING_PER_REPLICA_MS = 0.25;
const SPACING_MS_MAX = 100;

/** Whether hits of which nobody has been told could matter, with so many replicas keeping some back. */
export function isUrgent(replicas: number, untold: number, ceiling: number, used: number): boolean {
  return 2 * replicas * untold >= ceiling - used;
}

/** Whatever makes something due returns whether the next frame leaves sooner than it would have. */
export class FlushSchedule {
  /** When the next frame is to leave; infinite while there is nothing to say. */
  dueAtMs: number = Number.POSITIVE_INFINITY;
  readonly #options: FlushScheduleOptions;
  /** Until when no other frame may leave. */
  #spacedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(options: FlushScheduleOptions) {
    this.#options = options;
  }

  /** Something that cannot wait: an opening, a reset, a mark, or hits that could matter. */
  urgent(nowMs: number): boolean {
    return this.#due(nowMs);
  }

  /** Hits of a key that has so much of its limit used and has to be told of at some time. */
  changed(nowMs: number, ceiling: number, used: number): boolean {
    const { nearMs, farMs } = this.#options;
    return this.#due(nowMs + (2 * used >= ceiling ? nearMs : farMs));
  }

  /** A frame with everything has left, and so many replicas hear of it. */
  left(nowMs: number, replicas: number): void {
    const wideMs = Math.min(Math.ceil(SPACING_PER_REPLICA_MS * replicas), SPACING_MS_MAX);
    this.#spacedUntilMs = nowMs + Math.max(this.#options.spacingMs, wideMs);
    this.dueAtMs = Number.POSITIVE_INFINITY;
  }

  #due(atMs: number): boolean {
    const dueAtMs = Math.max(atMs, this.#spacedUntilMs);
    if (dueAtMs >= this.dueAtMs) return false;
    this.dueAtMs = dueAtMs;
    return true;
  }
}
