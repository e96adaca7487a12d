/**
 * Which records are up to date with what has changed for all keys at once.
 *
 * Four things do: how components of a replica are read, the reset of all keys, another id of this
 * process, and a step back of the cluster's time. None visits the records: each begins a new version, and a
 * record of an older one is brought up to date when somebody next looks at it. Whoever reads a record asks
 * for that first.
 */

import type { Notes } from "../marks/notes.ts";
import type { Former, OwnershipTransfer } from "../replicas/ownership-transfer.ts";
import type { StoreState } from "../store-state.ts";
import { LIVE, OWN, STATE, VERSION_SHIFT, VERSIONS } from "./entry.ts";
import { FINGERPRINT_HIGH, FINGERPRINT_LOW } from "./key-index.ts";
import type { KeyRecords } from "./key-records.ts";
import { resetsTie } from "./ticket.ts";

/** Records keep so many low bits of a version, which is enough as long as none is further behind. */
const VERSION_MASK: number = VERSIONS - 1;
/**
 * Within how many versions every record is brought up to date, and how many pass before it is begun
 * again: none gets further behind than three times that.
 */
const ROUND: number = VERSIONS / 4;
const FLAGS_MASK: number = (1 << VERSION_SHIFT) - 1;

/** The state of an own record that is up to date in the first version. */
export const FIRST_OWN_STATE: number = LIVE | OWN | (1 << VERSION_SHIFT);

export class RecordVersions {
  /** The reset of all keys. */
  limiterReset = 0;
  /** How many of them there have been. */
  limiterResets = 0;

  readonly #entries: KeyRecords;
  readonly #notes: Notes;
  readonly #storeState: StoreState;
  readonly #ownershipTransfer: OwnershipTransfer;
  /** When the cluster's time last stepped back. */
  steppedBackAtMs: number = Number.NEGATIVE_INFINITY;
  #version = 1;
  #steppedBackIn = 0;
  /** The version that the last reset of all keys has begun. */
  #resetIn = 0;
  #formers: { version: number; former: Former }[] = [];
  /** When this round began or the next one will, and which records this one has yet to look at. */
  #roundIn = ROUND;
  #roundAt = 0;
  #roundEnd = 0;

  constructor(
    entries: KeyRecords,
    notes: Notes,
    ownershipTransfer: OwnershipTransfer,
    storeState: StoreState,
  ) {
    this.#entries = entries;
    this.#notes = notes;
    this.#ownershipTransfer = ownershipTransfer;
    this.#storeState = storeState;
  }

  /** Begins a new version. */
  next(): void {
    this.#version++;
    this.#storeState.ownState = LIVE | OWN | ((this.#version & VERSION_MASK) << VERSION_SHIFT);
    if (this.#version >= this.#roundIn) this.#goRound();
  }

  /**
   * Brings a few records up to date that nobody may look at for long, so that no version that is begun
   * can be taken for theirs.
   */
  #goRound(): void {
    if (this.#roundAt === this.#roundEnd) {
      this.#roundAt = 1;
      this.#roundEnd = this.#entries.records.end;
    }
    const { ownership, records } = this.#entries;
    const end = Math.min(this.#roundEnd, records.end);
    const until = Math.min(this.#roundAt + Math.ceil(this.#roundEnd / ROUND), end);
    for (let id = this.#roundAt; id < until; id++) if (ownership.isLive(id)) this.renew(id);
    this.#roundAt = until;
    if (until < end) return;
    this.#formers = this.#formers.filter(({ version }) => version > this.#roundIn);
    this.#roundAt = this.#roundEnd;
    this.#roundIn = this.#version + ROUND;
  }

  /** Begins a new version with a larger reset of all keys. */
  raiseReset(reset: number): void {
    this.limiterReset = reset;
    this.limiterResets++;
    this.#storeState.resetsTie = resetsTie(this.limiterResets);
    this.#resetIn = this.#version + 1;
    this.next();
  }

  /** Begins a new version in which what was counted so far is another's. */
  disown(former: Former): void {
    const { generation, clusterNow } = this.#storeState;
    for (const shape of this.#entries.shapes) {
      shape.disown?.(former.replica, generation, clusterNow);
    }
    this.#formers.push({ version: this.#version + 1, former });
    this.next();
  }

  /** Begins a new version, because the cluster's time has stepped back from what it was before. */
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

  /** Names every replica that some records refer to, or will when they are brought up to date. */
  refersTo(mark: (replica: number) => void, first: number, count: number): void {
    this.#entries.refersTo(mark, first, count);
    for (const { former } of this.#formers) mark(former.replica);
  }

  /** Brings a record up to date if it is not. */
  renew(id: number): void {
    const state = this.#entries.records.word(id, STATE);
    if ((state ^ this.#storeState.ownState) >>> VERSION_SHIFT !== 0) this.#refresh(id, state);
  }

  /** Reads a record's components anew, without those that a reset of all keys has ended since. */
  #refresh(id: number, state: number): void {
    const { records, shapes } = this.#entries;
    const version = this.#version - ((this.#version - (state >>> VERSION_SHIFT)) & VERSION_MASK);
    const { now, clusterNow } = this.#storeState;
    if (version < this.#steppedBackIn) for (const shape of shapes) shape.foldAll?.(id, clusterNow);
    const former = this.#formers.find((given) => given.version > version)?.former;
    if (former !== undefined) this.#ownershipTransfer.move(id, former);
    if (version < this.#resetIn) {
      const low = records.word(id, FINGERPRINT_LOW);
      const note = this.#notes.find(low, records.word(id, FINGERPRINT_HIGH));
      if ((note?.reset ?? 0) < this.limiterReset) this.#entries.wipe(id);
    }
    for (const shape of shapes) shape.refresh(id, now, clusterNow);
    const flags = records.word(id, STATE) & FLAGS_MASK;
    records.setWord(id, STATE, flags | ((this.#version & VERSION_MASK) << VERSION_SHIFT));
  }
}
