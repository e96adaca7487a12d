/**
 * Maps the replica ids that a process knows to small indexes that fit into records.
 *
 * Index 0 is this process. An index stays bound to one id while anything may refer to it. A replica
 * that was dropped and returns gets a new index, so its dropped counts stay dropped. Stores watch
 * for changes that affect how components are read, and then read their components again.
 */

import { invariant } from "../../base/errors.ts";
import { FormerIds } from "./former-ids.ts";

/** This process. */
export const SELF = 0;
/** The index of no replica; also the most replicas and openers at a time. */
export const NO_REPLICA = 0xffff;

const FREE = 0;
const ALIVE = 1;
const SILENT = 2;
const DROPPED = 3;

/** The former id of this process, and its times. */
export interface Former {
  readonly replica: number;
  /** Converts a time of this process into the time published under the former id. */
  readonly originMs: number;
}

export class Replicas {
  /** Replicas that are alive, this one included. */
  aliveCount = 0;
  /** Which replicas have changed their ids. */
  readonly formers: FormerIds = new FormerIds();

  readonly #ids: string[] = [];
  readonly #indexes = new Map<string, number>();
  // These arrays grow with the known replicas: most limiters never meet another one.
  readonly #states: number[] = [];
  readonly #offsets: number[] = [];
  readonly #receivedUpTo: number[] = [];
  readonly #heldSince: number[] = [];
  readonly #free: number[] = [];
  /**
   * Unreferenced indexes of replicas that are not members and have not been named since the last
   * scan.
   */
  #unused = new Set<number>();
  readonly #watchers = new Set<() => void>();

  constructor(self: string) {
    this.indexOf(self);
  }

  /** Calls a function whenever stored components must be read again. */
  watch(watcher: () => void): void {
    this.#watchers.add(watcher);
  }

  unwatch(watcher: () => void): void {
    this.#watchers.delete(watcher);
  }

  /**
   * The index of a replica, assigned now if it is new; `NO_REPLICA` when all are in use.
   *
   * @param isAlive whether the replica sent the frame itself; others may name replicas that are
   * long gone
   */
  indexOf(id: string, isAlive = true): number {
    const known = this.#indexes.get(id);
    if (known !== undefined) {
      this.#unused.delete(known);
      return known;
    }
    const index = this.#free.pop() ?? this.#ids.length;
    if (index >= NO_REPLICA) return NO_REPLICA;
    this.#ids[index] = id;
    this.#indexes.set(id, index);
    this.#states[index] = isAlive ? ALIVE : SILENT;
    if (isAlive) this.aliveCount++;
    this.#offsets[index] = 0;
    this.#receivedUpTo[index] = 0;
    this.#heldSince[index] = 0;
    return index;
  }

  /** The id of this process. */
  get selfId(): string {
    return this.#ids[SELF]!;
  }

  /**
   * Changes the id of this process. Returns the index of the former id, which counts as another
   * replica from now on; `NO_REPLICA` when all are in use.
   */
  renameSelf(id: string): number {
    const former = this.selfId;
    this.#indexes.delete(former);
    this.#ids[SELF] = id;
    this.#indexes.set(id, SELF);
    return this.indexOf(former, false);
  }

  idOf(index: number): string {
    const id = this.#ids[index];
    invariant(id !== undefined, "a stored replica index is bound to an id");
    return id;
  }

  /** Orders replicas the same way in every process. */
  precedes(left: number, right: number): boolean {
    return this.idOf(left) < this.idOf(right);
  }

  /** Converts a time on that replica's clock to this replica's clock. */
  offsetMs(index: number): number {
    return this.#offsets[index]!;
  }

  setOffset(index: number, offsetMs: number): void {
    if (index === SELF || this.#offsets[index] === offsetMs) return;
    this.#offsets[index] = offsetMs;
    this.#notify();
  }

  /** Whether permits of the replica count. */
  isAlive(index: number): boolean {
    return this.#states[index] === ALIVE;
  }

  /** While a replica sends no heartbeats, its hits count and its permits do not. */
  setAlive(index: number, alive: boolean): void {
    const state = this.#states[index]!;
    const next = alive ? ALIVE : SILENT;
    if (index === SELF || state === next || state === FREE || state === DROPPED) return;
    this.#states[index] = next;
    this.aliveCount += alive ? 1 : -1;
    this.#notify();
  }

  /** The frame up to which nothing of a replica is missing; older frames contain nothing new. */
  receivedUpTo(index: number): number {
    return this.#receivedUpTo[index]!;
  }

  setReceivedUpTo(index: number, frame: number): void {
    this.#receivedUpTo[index] = frame;
  }

  /**
   * The first frame that reported all permits of the replica: permits of older frames are released.
   */
  heldSince(index: number): number {
    return this.#heldSince[index]!;
  }

  setHeldSince(index: number, frame: number): void {
    if (frame <= this.#heldSince[index]!) return;
    this.#heldSince[index] = frame;
    this.#notify();
  }

  isDropped(index: number): boolean {
    return this.#states[index] === DROPPED;
  }

  /** Forgets everything the replica counted; windows that it opened for others continue. */
  drop(index: number): void {
    invariant(index !== SELF, "a replica does not drop itself");
    const state = this.#states[index]!;
    if (state === DROPPED || state === FREE) return;
    if (state === ALIVE) this.aliveCount--;
    this.#states[index] = DROPPED;
    this.#indexes.delete(this.idOf(index));
    this.#notify();
  }

  /** How many indexes are in use. */
  get size(): number {
    return this.#ids.length - this.#free.length;
  }

  /**
   * Indexes that may be reclaimed once unreferenced: of dropped replicas, and of replicas that are
   * only known as the opener of a window.
   */
  spare(isMember: (id: string) => boolean): number[] {
    const strangers = this.known().filter(
      (index) => !this.isAlive(index) && !isMember(this.idOf(index)),
    );
    const dropped = Array.from(this.#states.keys()).filter((index) => this.isDropped(index));
    return [...dropped, ...strangers];
  }

  /** The indexes of all other known replicas, alive or not. */
  known(): number[] {
    const known: number[] = [];
    for (let index = SELF + 1; index < this.#ids.length; index++) {
      if (this.#states[index] === ALIVE || this.#states[index] === SILENT) known.push(index);
    }
    return known;
  }

  /**
   * Reclaims unreferenced indexes. A dropped replica gets no new references, so its index is free
   * at once. The opener of a window may just have been named, so its index is reclaimed only at the
   * next scan.
   */
  reclaim(spare: Iterable<number>): void {
    const unused = new Set<number>();
    for (const index of spare) {
      if (!this.isDropped(index) && !this.#unused.has(index)) {
        unused.add(index);
        continue;
      }
      if (!this.isDropped(index)) this.#indexes.delete(this.idOf(index));
      this.formers.forget(index);
      this.#states[index] = FREE;
      this.#free.push(index);
    }
    this.#unused = unused;
  }

  #notify(): void {
    for (const watcher of this.#watchers) watcher();
  }
}
