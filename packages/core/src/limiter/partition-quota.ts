/**
 * What is left of a limit for one replica that does not know what the others count.
 *
 * Cut off, it knows what had been used when that began. `share` gives it an even part of the rest, so
 * that all together stay within the limit however many sides there are; `open` leaves it all of the
 * limit, and `closed` nothing. A replica that has just come is in the same place.
 */

import type { SeparatedMode, Separation } from "../replication/membership/partition-detector.ts";

export class PartitionQuota {
  readonly #onPartition: SeparatedMode;
  readonly #onCold: SeparatedMode;
  readonly #keysMax: number;
  /**
   * For each policy, what of a key's limit was used when the limiter first looked at it since. Keys are
   * known by their fingerprints: the number of a record is given to another key when the first one goes.
   */
  readonly #usedBefore: Map<number, number>[] = [];
  #number = 0;

  constructor(onPartition: SeparatedMode, onCold: SeparatedMode, keysMax: number) {
    this.#onPartition = onPartition;
    this.#onCold = onCold;
    this.#keysMax = keysMax;
  }

  /** What this replica may let pass in all of one policy's limit; of a key without a record nothing is used. */
  limitOf(
    separation: Separation,
    { key, hasRecord }: { readonly key: number; readonly hasRecord: boolean },
    policy: number,
    limit: number,
    used: number,
  ): number {
    const mode = this.#modeIn(separation);
    if (mode === "closed") return 0;
    if (mode === "open" || separation.replicas <= 1) return limit;
    const table = this.#table(separation, policy);
    // Where there is no room to remember another key, its share is that of an unused key.
    const unknown = table.size < this.#keysMax ? used : 0;
    // Less is used than before when a window has ended, and then the rest is larger.
    const before = Math.min(table.get(key) ?? unknown, used);
    if (hasRecord) this.#remember(table, key, before);
    return before + Math.floor(Math.max(0, limit - before) / separation.replicas);
  }

  /** A key of which nothing had been used is counted for the first time. */
  begin(separation: Separation, key: number, policy: number): void {
    if (this.#modeIn(separation) !== "share") return;
    this.#remember(this.#table(separation, policy), key, 0);
  }

  /** The others are heard again. */
  end(): void {
    if (this.#usedBefore.length > 0) this.#usedBefore.length = 0;
  }

  #modeIn({ kind }: Separation): SeparatedMode {
    return kind === "cut" ? this.#onPartition : this.#onCold;
  }

  #table({ number }: Separation, policy: number): Map<number, number> {
    if (number !== this.#number) this.end();
    this.#number = number;
    const table = this.#usedBefore[policy] ?? new Map<number, number>();
    this.#usedBefore[policy] = table;
    return table;
  }

  #remember(table: Map<number, number>, key: number, before: number): void {
    if (table.size < this.#keysMax || table.has(key)) table.set(key, before);
  }
}
