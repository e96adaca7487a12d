/**
 * The replicas that a process has heard of, as small numbers that fit into records.
 *
 * Number 0 is this process. A number stays bound to one id while anything may refer to it; a
 * replica that was dropped and returns gets a new number, so that what was dropped stays dropped.
 * Stores watch for whatever changes how their components are read, and read them again then.
 */

import { invariant } from "../../base/errors.ts";
import { FormerIds } from "./former-ids.ts";

/** This process. */
export const SELF = 0;
/** The number of nobody; also how many replicas and openers can be told apart at a time. */
export const NOBODY = 0xffff;

const FREE = 0;
const ALIVE = 1;
const SILENT = 2;
const DROPPED = 3;

export class Replicas {
  /** How many replicas are alive, this one included. */
  aliveCount = 0;
  /** Who has given up which id. */
  readonly formers: FormerIds = new FormerIds();

  readonly #ids: string[] = [];
  readonly #indexes = new Map<string, number>();
  // These grow with the replicas heard of: most limiters never hear of any.
  readonly #states: number[] = [];
  readonly #offsets: number[] = [];
  readonly #heardUpTo: number[] = [];
  readonly #heldSince: number[] = [];
  readonly #free: number[] = [];
  /** Strangers that nothing referred to a while ago, and that nobody has named since. */
  #unused = new Set<number>();
  readonly #watchers = new Set<() => void>();

  constructor(self: string) {
    this.indexOf(self);
  }

  /** Has a function called whenever stored components must be read anew. */
  watch(watcher: () => void): void {
    this.#watchers.add(watcher);
  }

  unwatch(watcher: () => void): void {
    this.#watchers.delete(watcher);
  }

  /**
   * The number of a replica, given to it now if it is new; `NOBODY` when all are taken.
   *
   * @param isAlive whether a new one is known from itself; others may name those that are long gone
   */
  indexOf(id: string, isAlive = true): number {
    const known = this.#indexes.get(id);
    if (known !== undefined) {
      this.#unused.delete(known);
      return known;
    }
    const index = this.#free.pop() ?? this.#ids.length;
    if (index >= NOBODY) return NOBODY;
    this.#ids[index] = id;
    this.#indexes.set(id, index);
    this.#states[index] = isAlive ? ALIVE : SILENT;
    if (isAlive) this.aliveCount++;
    this.#offsets[index] = 0;
    this.#heardUpTo[index] = 0;
    this.#heldSince[index] = 0;
    return index;
  }

  /** The id of this process. */
  get selfId(): string {
    return this.#ids[SELF]!;
  }

  /**
   * Gives this process another id. Returns the number of the former one, which is another's from now
   * on; `NOBODY` when all are taken.
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
    invariant(id !== undefined, "a stored replica number is bound to an id");
    return id;
  }

  /** Orders replicas the same way in every process. */
  precedes(left: number, right: number): boolean {
    return this.idOf(left) < this.idOf(right);
  }

  /** What to add to a time on that replica's clock to have it on ours. */
  offsetMs(index: number): number {
    return this.#offsets[index]!;
  }

  setOffset(index: number, offsetMs: number): void {
    if (index === SELF || this.#offsets[index] === offsetMs) return;
    this.#offsets[index] = offsetMs;
    this.#tell();
  }

  /** Whether what the replica holds in a gauge counts. */
  isAlive(index: number): boolean {
    return this.#states[index] === ALIVE;
  }

  /** A silent replica keeps its hits and loses what it held in gauges, until it is heard again. */
  setAlive(index: number, alive: boolean): void {
    const state = this.#states[index]!;
    const next = alive ? ALIVE : SILENT;
    if (index === SELF || state === next || state === FREE || state === DROPPED) return;
    this.#states[index] = next;
    this.aliveCount += alive ? 1 : -1;
    this.#tell();
  }

  /** The frame up to which none of a replica is missing, so that older ones say nothing new. */
  heardUpTo(index: number): number {
    return this.#heardUpTo[index]!;
  }

  setHeardUpTo(index: number, frame: number): void {
    this.#heardUpTo[index] = frame;
  }

  /** The frame from which on a replica has told all that it holds in gauges: what is older has ended. */
  heldSince(index: number): number {
    return this.#heldSince[index]!;
  }

  setHeldSince(index: number, frame: number): void {
    if (frame <= this.#heldSince[index]!) return;
    this.#heldSince[index] = frame;
    this.#tell();
  }

  isDropped(index: number): boolean {
    return this.#states[index] === DROPPED;
  }

  /** Forgets everything the replica counted; windows it opened for others go on. */
  drop(index: number): void {
    invariant(index !== SELF, "a replica does not drop itself");
    const state = this.#states[index]!;
    if (state === DROPPED || state === FREE) return;
    if (state === ALIVE) this.aliveCount--;
    this.#states[index] = DROPPED;
    this.#indexes.delete(this.idOf(index));
    this.#tell();
  }

  /** How many numbers are in use. */
  get size(): number {
    return this.#ids.length - this.#free.length;
  }

  /**
   * The numbers that may be taken back where nothing refers to them: of replicas that were dropped, and
   * of strangers, who were only named as having opened a window.
   */
  spare(isMember: (id: string) => boolean): number[] {
    const strangers = this.known().filter(
      (index) => !this.isAlive(index) && !isMember(this.idOf(index)),
    );
    const dropped = Array.from(this.#states.keys()).filter((index) => this.isDropped(index));
    return [...dropped, ...strangers];
  }

  /** The numbers of every other replica that anything is known of, alive or not. */
  known(): number[] {
    const known: number[] = [];
    for (let index = SELF + 1; index < this.#ids.length; index++) {
      if (this.#states[index] === ALIVE || this.#states[index] === SILENT) known.push(index);
    }
    return known;
  }

  /**
   * Takes back numbers that no stored component refers to. Nobody refers to a replica that was dropped
   * anew; a stranger may just have been named, and is only taken back the next time.
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

  #tell(): void {
    for (const watcher of this.#watchers) watcher();
  }
}
