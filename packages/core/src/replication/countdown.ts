/**
 * When what has been counted leaves: the nearer a key is to its limit, the sooner.
 *
 * Every replica keeps back at most its part of half of what is left. So all that is kept back
 * together can never by itself carry a key past its limit, and it shrinks to single hits as the limit
 * comes near. What is far from its limit leaves with the rest, after a while. Urgent is the next
 * moment that the least spacing between frames allows.
 */

export interface CountdownOptions {
  /** The least time between two frames of this process. */
  readonly spacingMs: number;
  /** How long a change waits at most when its key is past half of its limit, and otherwise. */
  readonly nearMs: number;
  readonly farMs: number;
}

/** Whether hits of which nobody has been told could matter, with so many replicas keeping some back. */
export function isUrgent(replicas: number, untold: number, ceiling: number, used: number): boolean {
  return 2 * replicas * untold >= ceiling - used;
}

/** Whatever makes something due returns whether the next frame leaves sooner than it would have. */
export class Countdown {
  /** When the next frame is to leave; infinite while there is nothing to say. */
  dueAtMs: number = Number.POSITIVE_INFINITY;
  readonly #options: CountdownOptions;
  #leftAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: CountdownOptions) {
    this.#options = options;
  }

  /** Something that cannot wait: an opening, a reset, a mark, or hits that could matter. */
  urgent(nowMs: number): boolean {
    return this.#due(Math.max(nowMs, this.#leftAtMs + this.#options.spacingMs));
  }

  /** Hits of a key that has so much of its limit used and has to be told of at some time. */
  changed(nowMs: number, ceiling: number, used: number): boolean {
    const { nearMs, farMs } = this.#options;
    return this.#due(nowMs + (2 * used >= ceiling ? nearMs : farMs));
  }

  /** A window or slot closes, and what was counted in it has to be known by then. */
  closes(atMs: number): boolean {
    return this.#due(atMs);
  }

  /** A frame with everything has left. */
  left(nowMs: number): void {
    this.#leftAtMs = nowMs;
    this.dueAtMs = Number.POSITIVE_INFINITY;
  }

  #due(atMs: number): boolean {
    if (atMs >= this.dueAtMs) return false;
    this.dueAtMs = Math.max(atMs, this.#leftAtMs + this.#options.spacingMs);
    return true;
  }
}
