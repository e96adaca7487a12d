/**
 * What the store guarantees, kept in plain Maps and added up anew at every call.
 *
 * It decides nothing about memory: the test reports which key was evicted, and the reference checks
 * that the rules allow the eviction. Everything else follows from four rules. A replica raises only
 * its own components. The larger counts of one identity stay. Different identities add up. Anything
 * older than a reset is void.
 */

import type { Origin, ReferenceBook, ReferenceView, World } from "./book.ts";
import { BucketBook, type ReferenceBucketOptions } from "./bucket-book.ts";
import { GaugeBook } from "./gauge-book.ts";
import type { ReferenceComponent } from "./ledger.ts";
import { LogBook } from "./log-book.ts";
import { ReferenceFloors } from "./reference-floors.ts";
import { ReferenceNotes } from "./reference-marks.ts";
import { ReferenceReplicas } from "./reference-replicas.ts";
import { type Cut, SlotBook } from "./slot-book.ts";
import { type ReferenceWindowOptions, WindowBook } from "./window-book.ts";

/** How one policy counts. */
export type ReferencePolicy =
  | ({ readonly shape: "window" } & ReferenceWindowOptions)
  | { readonly shape: "aligned"; readonly cutFor: (key: string) => (clusterNow: number) => Cut }
  | {
      readonly shape: "grid";
      readonly slotMs: number;
      readonly cutAt: (clusterNow: number) => Cut;
    }
  | ({ readonly shape: "bucket" } & ReferenceBucketOptions)
  | { readonly shape: "gauge" }
  | { readonly shape: "log"; readonly windowMs: number };

/** The components that counted a hit, one per policy. */
export type Receipt = readonly string[];

interface Entry {
  readonly books: readonly ReferenceBook[];
  /** The generation of own components; undefined for a key known only from others. */
  generation: number | undefined;
}

/** Smaller steps back of the cluster's time are waited out. */
const STEP_BACK_MS = 60_000;

export class ReferenceStore {
  readonly replicas: ReferenceReplicas;
  readonly notes = new ReferenceNotes();
  generation = 0;
  readonly #policies: readonly ReferencePolicy[];
  /** By policy; only buckets have levels. */
  readonly #floors: readonly (ReferenceFloors | undefined)[];
  readonly #entries = new Map<string, Entry>();
  readonly #world: World & { now: number; clusterNow: number };

  constructor(self: string, policies: readonly ReferencePolicy[]) {
    this.replicas = new ReferenceReplicas(self);
    this.#policies = policies;
    this.#floors = policies.map((policy) =>
      policy.shape === "bucket" ? new ReferenceFloors(policy.slotMs) : undefined,
    );
    this.#world = { self, replicas: this.replicas, now: 0, clusterNow: 0 };
  }

  get now(): number {
    return this.#world.now;
  }

  get clusterNow(): number {
    return this.#world.clusterNow;
  }

  /** Its own time never goes back; the cluster's does, in large steps only. */
  advance(now: number, clusterNow: number): void {
    const world = this.#world;
    world.now = Math.max(world.now, now);
    const isBelieved = clusterNow < world.clusterNow - STEP_BACK_MS;
    world.clusterNow = isBelieved ? clusterNow : Math.max(world.clusterNow, clusterNow);
    if (isBelieved) this.#stepBack();
    for (const { books } of this.#entries.values()) for (const book of books) book.catchUp();
  }

  #stepBack(): void {
    this.generation++;
    for (const floors of this.#floors) floors?.step(this.generation, this.#world);
    for (const { books } of this.#entries.values()) {
      for (const book of books) if (book instanceof BucketBook) book.stepBack();
    }
  }

  keys(): string[] {
    return [...this.#entries.keys()];
  }

  /** Counts a hit of one cost per policy. */
  hit(key: string, costs: readonly number[]): Receipt {
    const entry = this.#own(key);
    return entry.books.map((book, policy) => {
      const hits = costs[policy] ?? 0;
      return hits === 0 ? "" : book.count(this.#origin(key, entry, policy), { hits });
    });
  }

  /** Counts a refused hit in windows that are open, if the key is this replica's own. */
  refuse(key: string, policy: number): void {
    const book = this.#entries.get(key)?.books[policy];
    if (book === undefined || book.view().endsAt === 0) return;
    book.count(this.#origin(key, this.#own(key), policy), { refusals: 1 });
  }

  /** Refunds hits; returns how many of each policy. */
  refund(key: string, receipt: Receipt, cost: number): number[] {
    const books = this.#entries.get(key)?.books ?? [];
    return books.map((book, policy) => book.refund(receipt[policy] ?? "", cost));
  }

  /** Releases permits; returns how many of them this replica did hold, by policy. */
  release(key: string, cost: number): number[] {
    const entry = this.#entries.get(key);
    return (entry?.books ?? []).map((book, policy) =>
      book instanceof GaugeBook && entry !== undefined
        ? book.release(this.#origin(key, entry, policy), cost)
        : 0,
    );
  }

  view(key: string, policy: number): ReferenceView {
    return this.#bookOf(key, policy).view();
  }

  /** When the windows of a key hold at most `target`. */
  fallsTo(key: string, policy: number, target: number): number {
    const book = this.#bookOf(key, policy);
    if (!(book instanceof WindowBook)) throw new TypeError("only windows end one by one");
    return book.fallsTo(target);
  }

  /** The bucket of a known key, for its checkpoint. */
  bucket(key: string, policy: number): BucketBook | undefined {
    const book = this.#entries.get(key)?.books[policy];
    return book instanceof BucketBook ? book : undefined;
  }

  /** Own components that still count, of every key. */
  emit(): ReferenceComponent[] {
    return [...this.#entries].flatMap(([key, entry]) =>
      entry.generation === undefined
        ? []
        : entry.books.flatMap((book, policy) => book.emit(this.#origin(key, entry, policy))),
    );
  }

  /** Merges a component of another replica; returns whether it was new. */
  join(component: ReferenceComponent): boolean {
    const { key, policy, replica } = component;
    const book = this.#bookOf(key, policy);
    if (replica === this.#world.self || component.refunds > component.hits) return false;
    const floors = this.#floors[policy];
    if (!book.admits(component) || floors?.isBelow(component, this.#world.now)) return false;
    if (book.endsWithReset) {
      if (component.reset < this.notes.knownReset(key)) return false;
      this.joinReset(key, component.reset);
    }
    floors?.heard(component);
    return this.#obtain(key).books[policy]?.join(component) ?? false;
  }

  /** Ends all counts of a key so far. */
  reset(key: string): void {
    this.joinReset(key, Math.max(this.notes.knownMarkReset(key) + 1, this.#world.clusterNow));
  }

  joinReset(key: string, reset: number): void {
    if (reset <= this.notes.knownReset(key)) return;
    this.notes.of(key).reset = reset;
    this.#wipe(key);
  }

  /** Ends all counts of every key so far, also of unknown keys. */
  resetAll(): void {
    const known = this.notes.all().map(({ reset, markReset }) => Math.max(reset, markReset));
    this.joinResetAll(
      Math.max(Math.max(this.notes.resetAll, ...known) + 1, this.#world.clusterNow),
    );
  }

  joinResetAll(reset: number): void {
    if (reset <= this.notes.resetAll) return;
    for (const key of this.keys()) if (this.notes.of(key).reset < reset) this.#wipe(key);
    this.notes.resetAll = reset;
  }

  mark(key: string, kind: number, untilMs: number, limit: number): void {
    this.notes.joinMark(key, kind, { reset: this.notes.knownMarkReset(key), untilMs, limit });
  }

  /** Voids the marks of a key and leaves its counts. */
  unmark(key: string): void {
    const reset = Math.max(this.notes.knownMarkReset(key) + 1, this.#world.clusterNow);
    this.joinMarkReset(key, reset);
  }

  joinMarkReset(key: string, reset: number): void {
    const note = this.notes.of(key);
    note.markReset = Math.max(note.markReset, reset);
  }

  /** Forgets everything a replica has counted, but not the windows it opened for others. */
  drop(replica: string): void {
    this.replicas.drop(replica);
    for (const floors of this.#floors) floors?.drop(replica);
    for (const { books } of this.#entries.values()) for (const book of books) book.drop(replica);
  }

  /** Whether nothing of a key counts any more. */
  isOver(key: string): boolean {
    return this.#entries.get(key)?.books.every((book) => book.isOver()) ?? true;
  }

  /** Whether this replica holds permits of a key. */
  isHeld(key: string): boolean {
    return this.#entries.get(key)?.books.some((book) => book.isHeld()) ?? false;
  }

  /**
   * Forgets a key that the store has evicted. Later counts of this replica for that key are
   * separate from the earlier ones, so that no replica takes the smaller count for an older one.
   */
  forget(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    const hasNoPeriods = entry.books.some((book) => book.hasNoPeriods);
    if (entry.generation !== undefined && (hasNoPeriods || !this.isOver(key))) this.generation++;
    this.#entries.delete(key);
  }

  #wipe(key: string): void {
    for (const book of this.#entries.get(key)?.books ?? []) book.wipe();
  }

  #own(key: string): Entry {
    const entry = this.#obtain(key);
    entry.generation ??= this.generation;
    return entry;
  }

  #obtain(key: string): Entry {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const books = this.#policies.map((_, policy) => this.#newBook(key, policy));
    const entry = { books, generation: undefined };
    this.#entries.set(key, entry);
    return entry;
  }

  #bookOf(key: string, policy: number): ReferenceBook {
    return this.#entries.get(key)?.books[policy] ?? this.#newBook(key, policy);
  }

  #origin(key: string, entry: Entry, policy: number): Origin {
    const least = this.#floors[policy]?.generation ?? 0;
    const generation = Math.max(entry.generation ?? this.generation, least);
    return { key, policy, generation, reset: this.notes.knownReset(key) };
  }

  #newBook(key: string, index: number): ReferenceBook {
    const policy = this.#policies[index];
    const world = this.#world;
    switch (policy?.shape) {
      case "window":
        return new WindowBook(world, policy);
      case "aligned":
        return new SlotBook(world, {
          cutAt: policy.cutFor(key),
          heldIn: (hits) => hits.at(-2) ?? 0,
          keepsOwn: false,
        });
      case "grid":
        return new SlotBook(world, {
          cutAt: policy.cutAt,
          heldIn: ([trailing = 0, ...others], leftMs) =>
            others.reduce((sum, hits) => sum + hits * policy.slotMs, trailing * leftMs),
          keepsOwn: true,
        });
      case "bucket":
        return new BucketBook(world, policy, this.#floors[index]);
      case "gauge":
        return new GaugeBook(world);
      case "log":
        return new LogBook(world, policy.windowMs);
      case undefined:
        throw new RangeError(`there is no policy ${index}`);
    }
  }
}
