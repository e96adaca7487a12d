/**
 * Tracks which replica each key belongs to, and counts the keys of each kind.
 *
 * A key belongs to the replica that introduced it, until this replica counts something for it. From
 * then on it is this replica's own. Every counted flag is changed only here, so the sums never
 * drift.
 */

import { SELF } from "../replicas/replicas.ts";
import { GENERATION, LIVE, OWN, REFUSED, STATE } from "./entry.ts";
import type { RecordPool } from "./record-pool.ts";

export class KeyOwnership {
  /** Keys that other replicas introduced and that are not this replica's own. */
  foreignKeys = 0;
  /** Keys whose last check was refused. */
  refusedKeys = 0;

  readonly #records: RecordPool;
  readonly #introduced: number[] = [];

  constructor(records: RecordPool) {
    this.#records = records;
  }

  /** Foreign keys that a replica has introduced. */
  introducedBy(replica: number): number {
    return this.#introduced[replica] ?? 0;
  }

  isLive(id: number): boolean {
    return (this.#records.word(id, STATE) & LIVE) !== 0;
  }

  isOwn(id: number): boolean {
    return (this.#records.word(id, STATE) & OWN) !== 0;
  }

  /** A record was made for a key that `introducer` introduced. */
  enter(id: number, introducer: number): void {
    this.#records.setWord(id, GENERATION, introducer);
    if (introducer !== SELF) this.#introduce(introducer, 1);
  }

  /** A record is about to be freed. */
  leave(id: number): void {
    const state = this.#records.word(id, STATE);
    if ((state & REFUSED) !== 0) this.refusedKeys--;
    if ((state & OWN) === 0) this.#takeFromIntroducer(id);
  }

  /** Makes the key this replica's own, with components of this generation. */
  own(id: number, generation: number): void {
    this.#takeFromIntroducer(id);
    this.#records.setWord(id, GENERATION, generation | 0);
    this.#records.setWord(id, STATE, this.#records.word(id, STATE) | OWN);
  }

  flipRefused(id: number): void {
    const state = this.#records.word(id, STATE) ^ REFUSED;
    this.#records.setWord(id, STATE, state);
    this.refusedKeys += (state & REFUSED) === 0 ? -1 : 1;
  }

  clear(): void {
    this.#introduced.length = 0;
    this.foreignKeys = 0;
    this.refusedKeys = 0;
  }

  #takeFromIntroducer(id: number): void {
    const introducer = this.#records.word(id, GENERATION);
    if (introducer !== SELF) this.#introduce(introducer, -1);
  }

  #introduce(introducer: number, keys: number): void {
    this.#introduced[introducer] = this.introducedBy(introducer) + keys;
    this.foreignKeys += keys;
  }
}
