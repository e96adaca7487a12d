/**
 * Tracks which records are up to date after changes that affect all keys.
 *
 * There are four such changes. The components of a replica are read in another way, all keys are
 * reset, this process takes a new id, or the cluster's time steps back. None of them visits the
 * records. Each starts a new version, and a record of an older version is brought up to date before
 * its next read. Every reader of a record must call `renew` first.
 */

import { blankComponent, type Component } from "../crdt/component.ts";
import type { Notes } from "./marks/notes.ts";
import { type Former, type Replicas, SELF } from "./replicas/replicas.ts";
import type { StoreState } from "./store-state.ts";
import {
  GENERATION,
  LIVE,
  OWN,
  type Shape,
  STATE,
  VERSION_SHIFT,
  VERSIONS,
} from "./table/entry.ts";
import { FINGERPRINT_HIGH, FINGERPRINT_LOW } from "./table/key-index.ts";
import type { KeyRecords } from "./table/key-records.ts";
import { resetsTie } from "./table/ticket.ts";

/** Records keep this many low bits of a version, which is enough while none is further behind. */
const VERSION_MASK: number = VERSIONS - 1;
/**
 * A round brings every record up to date within this many versions, and the next one starts after
 * as many. No record gets further behind than three times that.
 */
const ROUND: number = VERSIONS / 4;
const FLAGS_MASK: number = (1 << VERSION_SHIFT) - 1;

/** The state of an own record that is up to date in the first version. */
export const FIRST_OWN_STATE: number = LIVE | OWN | (1 << VERSION_SHIFT);

export class RecordVersions {
  /** The reset of all keys. */
  limiterReset = 0;
  /** The number of resets of all keys. */
  limiterResets = 0;

  readonly #entries: KeyRecords;
  readonly #notes: Notes;
  readonly #storeState: StoreState;
  readonly #replicas: Replicas;
  readonly #component = blankComponent();
  /** When the cluster's time last stepped back. */
  steppedBackAtMs: number = Number.NEGATIVE_INFINITY;
  #version = 1;
  #steppedBackIn = 0;
  /** The version that the last reset of all keys started. */
  #resetIn = 0;
  #formers: { version: number; former: Former }[] = [];
  /** When this round started or the next one will, and which records this one has yet to visit. */
  #roundIn = ROUND;
  #roundAt = 0;
  #roundEnd = 0;

  constructor(entries: KeyRecords, notes: Notes, replicas: Replicas, storeState: StoreState) {
    this.#entries = entries;
    this.#notes = notes;
    this.#replicas = replicas;
    this.#storeState = storeState;
  }

  /** Starts a new version. */
  next(): void {
    this.#version++;
    this.#storeState.ownState = LIVE | OWN | ((this.#version & VERSION_MASK) << VERSION_SHIFT);
    if (this.#version >= this.#roundIn) this.#goRound();
  }

  /**
   * Brings a few records up to date that may not be read for long, so that no new version can be
   * mistaken for theirs.
   */
  #goRound(): void {
    if (this.#roundAt === this.#roundEnd) {
      this.#roundAt = 1;
      this.#roundEnd = this.#entries.records.end;
    }
    const end = Math.min(this.#roundEnd, this.#entries.records.end);
    const until = Math.min(this.#roundAt + Math.ceil(this.#roundEnd / ROUND), end);
    for (let id = this.#roundAt; id < until; id++) this.renewIfLive(id);
    this.#roundAt = until;
    if (until < end) return;
    this.#formers = this.#formers.filter(({ version }) => version > this.#roundIn);
    this.#roundAt = this.#roundEnd;
    this.#roundIn = this.#version + ROUND;
  }

  /** Starts a new version with a larger reset of all keys. */
  raiseReset(reset: number): void {
    this.limiterReset = reset;
    this.limiterResets++;
    this.#storeState.resetsTie = resetsTie(this.limiterResets);
    this.#resetIn = this.#version + 1;
    this.next();
  }

  /**
   * Starts a new version in which all own counts so far belong to the former id: other replicas
   * keep them under that id, so new counts must not add to them. Permits stay own.
   */
  disown(former: Former): void {
    const { generation, clusterNow } = this.#storeState;
    for (const shape of this.#entries.shapes) {
      shape.disown?.(former.replica, generation, clusterNow);
    }
    this.#formers.push({ version: this.#version + 1, former });
    this.next();
  }

  /** Starts a new version after the cluster's time has stepped back from `clusterBefore`. */
  stepBack(clusterBefore: number): void {
    const storeState = this.#storeState;
    storeState.generation++;
    const { generation } = storeState;
    for (const shape of this.#entries.shapes)
      shape.stepBack?.(generation, clusterBefore, storeState);
    this.steppedBackAtMs = storeState.now;
    this.#steppedBackIn = this.#version + 1;
    this.next();
  }

  /** Marks every replica that records will refer to when they are brought up to date. */
  refersTo(mark: (replica: number) => void): void {
    for (const { former } of this.#formers) mark(former.replica);
  }

  /** Brings a record up to date if it is not. */
  renew(id: number): void {
    const state = this.#entries.records.word(id, STATE);
    if ((state ^ this.#storeState.ownState) >>> VERSION_SHIFT !== 0) this.#refresh(id, state);
  }

  /** The same for a number whose record may be free; returns whether it is in use. */
  renewIfLive(id: number): boolean {
    const { ownership, records } = this.#entries;
    if (id >= records.end || !ownership.isLive(id)) return false;
    this.renew(id);
    return true;
  }

  /** Reads a record's components again, without those that a reset of all keys has ended. */
  #refresh(id: number, state: number): void {
    const { records, shapes } = this.#entries;
    const version = this.#version - ((this.#version - (state >>> VERSION_SHIFT)) & VERSION_MASK);
    const { now, clusterNow } = this.#storeState;
    if (version < this.#steppedBackIn) for (const shape of shapes) shape.foldAll?.(id, clusterNow);
    const former = this.#formers.find((given) => given.version > version)?.former;
    if (former !== undefined) {
      for (const shape of shapes) if (shape.endsWithReset) this.#disownIn(id, shape, former);
    }
    if (version < this.#resetIn) {
      const low = records.word(id, FINGERPRINT_LOW);
      const note = this.#notes.find(low, records.word(id, FINGERPRINT_HIGH));
      if ((note?.reset ?? 0) < this.limiterReset) this.#entries.wipe(id);
    }
    for (const shape of shapes) shape.refresh(id, now, clusterNow);
    const flags = records.word(id, STATE) & FLAGS_MASK;
    records.setWord(id, STATE, flags | ((this.#version & VERSION_MASK) << VERSION_SHIFT));
  }
  /** Assigns all own components of one shape of a record to the former id. */
  #disownIn(id: number, shape: Shape, former: Former): void {
    const { now, clusterNow } = this.#storeState;
    const taken: Component[] = [];
    const take = (component: Readonly<Component>): void => {
      const moved = { ...component };
      if (moved.replica === SELF) moved.replica = former.replica;
      if (moved.opener === SELF) {
        moved.opener = former.replica;
        if (shape.periodKind === "window" || shape.periodKind === "instant")
          moved.period += former.originMs;
      }
      taken.push(moved);
    };
    const component = this.#component;
    component.replica = SELF;
    const begun = this.#entries.records.word(id, GENERATION) >>> 0;
    component.generation = Math.max(begun, shape.generationMin ?? 0);
    shape.emit(id, now, clusterNow, component, take);
    for (const replica of this.#replicas.known()) {
      component.replica = replica;
      shape.emitRemote(id, replica, now, clusterNow, component, take);
    }
    const checkpoint = shape.folds ? shape.checkpoint?.(id, clusterNow) : undefined;
    shape.wipe(id);
    if (checkpoint !== undefined) shape.joinCheckpoint?.(id, checkpoint, clusterNow);
    for (const moved of taken) shape.join(id, moved, now, clusterNow);
  }
}
