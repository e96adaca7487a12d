/**
 * Refunds of hits in logs, by the time of the hits.
 *
 * Refunds are rare, so they are in a map beside the lists and are forgotten with their hits. Owners
 * are record numbers, as for lists.
 */

/** Refunds of one list, by the time of the refunded hits. */
type Refunds = Map<number, number>;

export class TimedRefunds {
  readonly #refunds = new Map<number, Refunds>();

  /** How many of the hits at `time` were refunded. */
  at(owner: number, time: number): number {
    return this.#refunds.size === 0 ? 0 : (this.#refunds.get(owner)?.get(time) ?? 0);
  }

  /** Refunds of hits after `cutoff`; refunds of expired hits are forgotten. */
  after(owner: number, cutoff: number): number {
    if (this.#refunds.size === 0) return 0;
    const refunds = this.#refunds.get(owner);
    if (refunds === undefined) return 0;
    let sum = 0;
    for (const [time, returned] of refunds) {
      if (time <= cutoff) refunds.delete(time);
      else sum += returned;
    }
    return sum;
  }

  /** Keeps the larger count; returns whether it grew. */
  raise(owner: number, time: number, returned: number): boolean {
    if (returned <= this.at(owner, time)) return false;
    const refunds = this.#refunds.get(owner) ?? new Map<number, number>();
    refunds.set(time, returned);
    this.#refunds.set(owner, refunds);
    return true;
  }

  /** Moves the refunds of hits at one time to another time. */
  move(owner: number, from: number, to: number): void {
    const refunds = this.#refunds.get(owner);
    const returned = refunds?.get(from);
    if (refunds === undefined || returned === undefined) return;
    refunds.delete(from);
    refunds.set(to, returned + (refunds.get(to) ?? 0));
  }

  delete(owner: number): void {
    this.#refunds.delete(owner);
  }

  clear(): void {
    this.#refunds.clear();
  }
}
