/**
 * The truth of a history, whatever replicas have received: how much of a key can be seen at most,
 * and what all replicas must see in the end.
 */

export interface Truth {
  /** A replica has counted hits. */
  count(replica: object, key: string, hits: number): void;
  /** A replica has refunded hits. */
  giveBack(replica: object, key: string, hits: number): void;
  /** A replica has reset a key. */
  reset(key: string): void;
  /** A replica has crashed. */
  crash(replica: object): void;
  /** The most that any replica may see now: more would be hits that did not happen. */
  most(key: string): number;
  /** The most that all may see when all frames have arrived, whichever replicas have crashed. */
  mostInTheEnd(key: string): number;
  /** What all see when all frames have arrived. */
  exact(key: string): number;
}

/** Two resets within so long may be in either order, by clocks that are as right as they can be. */
const RESETS_TOGETHER_MS = 200;

/** Of windows and slots that last longer than the history. */
export class LastingTruth implements Truth {
  readonly #counted = new Map<string, number>();
  readonly #givenBack = new Map<string, number>();
  readonly #hits = new TimedHits();
  readonly #resetAtMs = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  count(_replica: object, key: string, hits: number): void {
    this.#counted.set(key, (this.#counted.get(key) ?? 0) + hits);
    this.#hits.add(key, hits, this.#now());
  }

  giveBack(_replica: object, key: string, hits: number): void {
    this.#givenBack.set(key, (this.#givenBack.get(key) ?? 0) + hits);
  }

  reset(key: string): void {
    this.#resetAtMs.set(key, this.#now());
  }

  crash(): void {}

  /** A replica that received a hit need not have received its refund or its reset. */
  most(key: string): number {
    return this.#counted.get(key) ?? 0;
  }

  mostInTheEnd(key: string): number {
    const resetAtMs = this.#resetAtMs.get(key) ?? Number.NEGATIVE_INFINITY;
    return this.#hits.since(key, resetAtMs - RESETS_TOGETHER_MS);
  }

  exact(key: string): number {
    return this.most(key) - (this.#givenBack.get(key) ?? 0);
  }
}

/** Of a log whose hits leave it during the history. */
export class LeavingTruth implements Truth {
  readonly #hits = new TimedHits();
  readonly #windowMs: number;
  readonly #lateMs: number;
  readonly #now: () => number;

  /**
   * @param lateMs how much too late a clock may be known, and so how much too long a hit may be
   * seen
   */
  constructor(windowMs: number, lateMs: number, now: () => number) {
    this.#windowMs = windowMs;
    this.#lateMs = lateMs;
    this.#now = now;
  }

  count(_replica: object, key: string, hits: number): void {
    this.#hits.add(key, hits, this.#now());
  }

  giveBack(): void {}

  reset(): void {}

  crash(): void {}

  most(key: string): number {
    return this.#hits.since(key, this.#now() - this.#windowMs - this.#lateMs);
  }

  mostInTheEnd(key: string): number {
    return this.most(key);
  }

  exact(key: string): number {
    return this.#hits.since(key, this.#now() - this.#windowMs);
  }
}

/** Of permits: each replica is seen as it was at some time, and not at all once it is dead. */
export class HeldTruth implements Truth {
  readonly #held = new Map<object, Map<string, { now: number; most: number }>>();
  readonly #gone = new Set<object>();

  count(replica: object, key: string, hits: number): void {
    const held = this.#of(replica, key);
    held.now += hits;
    held.most = Math.max(held.most, held.now);
  }

  giveBack(replica: object, key: string, hits: number): void {
    this.#of(replica, key).now -= hits;
  }

  reset(): void {}

  crash(replica: object): void {
    this.#gone.add(replica);
  }

  most(key: string): number {
    let most = 0;
    for (const keys of this.#held.values()) most += keys.get(key)?.most ?? 0;
    return most;
  }

  mostInTheEnd(key: string): number {
    return this.exact(key);
  }

  exact(key: string): number {
    let held = 0;
    for (const [replica, keys] of this.#held) {
      if (!this.#gone.has(replica)) held += keys.get(key)?.now ?? 0;
    }
    return held;
  }

  #of(replica: object, key: string): { now: number; most: number } {
    const keys = this.#held.get(replica) ?? new Map<string, { now: number; most: number }>();
    this.#held.set(replica, keys);
    const held = keys.get(key) ?? { now: 0, most: 0 };
    keys.set(key, held);
    return held;
  }
}

/** Hits of keys, each with when it was counted. */
class TimedHits {
  readonly #hits = new Map<string, { readonly atMs: number; readonly hits: number }[]>();

  add(key: string, hits: number, atMs: number): void {
    const all = this.#hits.get(key) ?? [];
    all.push({ atMs, hits });
    this.#hits.set(key, all);
  }

  /** How many were counted after a time. */
  since(key: string, atMs: number): number {
    const all = this.#hits.get(key) ?? [];
    return all.reduce((sum, hit) => sum + (hit.atMs > atMs ? hit.hits : 0), 0);
  }
}
