/**
 * Which records are up to date with what has changed for all keys at once.
 *
 * Four things do: how components of a replica are read, the reset of all keys, another id of this
 * process, and a step back of the cluster's time. None visits the records: each begins a new version, and a record of an older one is
 * brought up to date when somebody next looks at it. Whoever reads a record asks for that first.
 */

import type { Disowning, Former } from "./disowning.ts";
import type { Entries } from "./entries.ts";
import { LIVE, OWN, STATE, VERSION_MAX, VERSION_SHIFT } from "./entry.ts";
import { FINGERPRINT_HIGH, FINGERPRINT_LOW } from "./key-index.ts";
import type { Notes } from "./notes.ts";
import type { Present } from "./present.ts";

/** More that have to be told apart are rare enough to read every record instead. */
const BOUNDS_MAX = 16;
const FLAGS_MASK: number = (1 << VERSION_SHIFT) - 1;

/** The state of an own record that is up to date in the first version. */
export const FIRST_OWN_STATE: number = LIVE | OWN | (1 << VERSION_SHIFT);

export class Versions {
  /** The reset of all keys. */
  limiterReset = 0;
  /** How many of them there have been. */
  limiterResets = 0;

  readonly #entries: Entries;
  readonly #notes: Notes;
  readonly #present: Present;
  readonly #disowning: Disowning;
  /** When the cluster's time last stepped back. */
  steppedBackAtMs: number = Number.NEGATIVE_INFINITY;
  #version = 1;
  #steppedBackIn = 0;
  /** The version that the last reset of all keys has begun. */
  #resetIn = 0;
  #formers: { version: number; former: Former }[] = [];

  constructor(entries: Entries, notes: Notes, disowning: Disowning, present: Present) {
    this.#entries = entries;
    this.#notes = notes;
    this.#disowning = disowning;
    this.#present = present;
  }

  /** Begins a new version. */
  next(): void {
    if (this.#version >= VERSION_MAX) {
      if (this.#bounds().length > BOUNDS_MAX) this.#renewAll();
      this.#renumber();
    }
    this.#version++;
    this.#present.ownState = LIVE | OWN | (this.#version << VERSION_SHIFT);
  }

  /** The versions that records are compared with: what is between two of them makes no difference. */
  #bounds(): number[] {
    const formers = this.#formers.map(({ version }) => version);
    const bounds = new Set([this.#resetIn, this.#steppedBackIn, ...formers]);
    bounds.delete(0);
    return Array.from(bounds).sort((left, right) => left - right);
  }

  /** Numbers versions anew, as few as there have to be. No record is read for that. */
  #renumber(): void {
    const bounds = this.#bounds();
    const anew = (version: number): number => {
      let number = 1;
      for (const bound of bounds) if (version >= bound) number++;
      return number;
    };
    const { records } = this.#entries;
    this.#entries.each((id) => {
      const state = records.word(id, STATE);
      const version = anew(state >>> VERSION_SHIFT);
      records.setWord(id, STATE, (state & FLAGS_MASK) | (version << VERSION_SHIFT));
    });
    this.#version = anew(this.#version);
    if (this.#resetIn !== 0) this.#resetIn = anew(this.#resetIn);
    if (this.#steppedBackIn !== 0) this.#steppedBackIn = anew(this.#steppedBackIn);
    this.#formers = this.#formers.map(({ version, former }) => ({
      version: anew(version),
      former,
    }));
  }

  /** Brings every record up to date, so that no version but this one matters. */
  #renewAll(): void {
    this.#entries.each((id) => this.#refresh(id, this.#entries.records.word(id, STATE)));
    this.#resetIn = 0;
    this.#steppedBackIn = 0;
    this.#formers = [];
  }

  /** Begins a new version with a larger reset of all keys. */
  raiseReset(reset: number): void {
    this.limiterReset = reset;
    this.limiterResets++;
    this.next();
    this.#resetIn = this.#version;
  }

  /** Begins a new version in which what was counted so far is another's. */
  disown(former: Former): void {
    const { generation, clusterNow } = this.#present;
    for (const shape of this.#entries.shapes) {
      shape.disown?.(former.replica, generation, clusterNow);
    }
    this.next();
    this.#formers.push({ version: this.#version, former });
  }

  /** Begins a new version, because the cluster's time has stepped back from what it was before. */
  stepBack(clusterBefore: number): void {
    const present = this.#present;
    present.generation++;
    const { generation } = present;
    for (const shape of this.#entries.shapes) shape.stepBack?.(generation, clusterBefore, present);
    this.steppedBackAtMs = present.now;
    this.#steppedBackIn = this.#version + 1;
    this.next();
  }

  /** Brings a record up to date if it is not. */
  renew(id: number): void {
    const state = this.#entries.records.word(id, STATE);
    if (state >>> VERSION_SHIFT !== this.#version) this.#refresh(id, state);
  }

  /** Reads a record's components anew, without those that a reset of all keys has ended since. */
  #refresh(id: number, state: number): void {
    const { records, shapes } = this.#entries;
    const version = state >>> VERSION_SHIFT;
    const { now, clusterNow } = this.#present;
    if (version < this.#steppedBackIn) for (const shape of shapes) shape.foldAll?.(id, clusterNow);
    const former = this.#formers.find((given) => given.version > version)?.former;
    if (former !== undefined) this.#disowning.move(id, former);
    if (version < this.#resetIn) {
      const low = records.word(id, FINGERPRINT_LOW);
      const note = this.#notes.find(low, records.word(id, FINGERPRINT_HIGH));
      if ((note?.reset ?? 0) < this.limiterReset) this.#entries.wipe(id);
    }
    for (const shape of shapes) shape.refresh(id, now, clusterNow);
    const flags = records.word(id, STATE) & FLAGS_MASK;
    records.setWord(id, STATE, flags | (this.#version << VERSION_SHIFT));
  }
}
