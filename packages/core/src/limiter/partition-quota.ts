/**
 * How much of a limit a disconnected replica may allow, while it misses the others' counts.
 *
 * It knows what was used when the partition began. With `share` it gets an even part of the rest,
 * so that all sides together stay within the limit. With `open` it gets the whole limit, and with
 * `closed` nothing. A replica that has just joined is in the same situation.
 */

import type { SeparatedMode, Separation } from "../protocol/replica.ts";

export class PartitionQuota {
  readonly #onPartition: SeparatedMode;
  readonly #onCold: SeparatedMode;
  readonly #keysMax: number;
  /**
   * For each policy, how much of a key's limit was used when the limiter first read it in the
   * partition. Keys are identified by fingerprint, because the record number of an evicted key is
   * reused.
   */
  readonly #usedBefore: Map<number, number>[] = [];
  #number = 0;

  constructor(onPartition: SeparatedMode, onCold: SeparatedMode, keysMax: number) {
    this.#onPartition = onPartition;
    this.#onCold = onCold;
    this.#keysMax = keysMax;
  }

  /** How much this replica may allow of one policy's limit; a key without a record is unused. */
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
    // When the table is full, another key gets the share of an unused key.
    const unknown = table.size < this.#keysMax ? used : 0;
    // After a window has ended less is used than before, and more of the limit is left.
    const before = Math.min(table.get(key) ?? unknown, used);
    if (hasRecord) this.#remember(table, key, before);
    return before + Math.floor(Math.max(0, limit - before) / separation.replicas);
  }

  /** Notes that an unused key is counted for the first time. */
  begin(separation: Separation, key: number, policy: number): void {
    if (this.#modeIn(separation) !== "share") return;
    this.#remember(this.#table(separation, policy), key, 0);
  }

  /** The partition has ended. */
  end(): void {
    if (this.#usedBefore.length > 0) this.#usedBefore.length = 0;
  }

  #modeIn({ kind }: Separation): SeparatedMode {
    return kind === "partition" ? this.#onPartition : this.#onCold;
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
