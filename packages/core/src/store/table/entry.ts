/**
 * The first words of every key's record, and the contract of the shapes behind them.
 *
 *     | fingerprint low | high | state | frame | generation | words of shape 0 | of shape 1 | …
 *
 * `state` packs flags and the epoch below the version under which the record was last read.
 */

import type { Checkpoint } from "../../crdt/checkpoint.ts";
import type { Component } from "../../crdt/component.ts";

export const STATE = 2;
/**
 * The frame in which the key's own components left last, or leave next. In a replicated limiter, a
 * negative number is the record's position in the list of unsent counts.
 */
export const FRAME = 3;
/** Frame numbers are kept without their upper bits, and compared modulo 2^31. */
export const FRAME_MASK = 0x7fff_ffff;
/**
 * The low 32 bits of the generation of own components; for a foreign key, the replica that
 * introduced it.
 */
export const GENERATION = 4;
export const HEADER_WORDS = 5;

/** The record is in use. */
export const LIVE = 1;
/** This replica has counted hits for the key since the record was made. */
export const OWN = 2;
/** The last check of the key was refused. */
export const REFUSED = 4;
/** The side table has resets or marks for the key. */
export const NOTED = 8;
/** How often a reset has ended the record's counts, modulo 256. */
export const EPOCH_MASK = 0xff0;
export const EPOCH_ONE = 0x10;
export const VERSION_SHIFT = 12;
/** How many versions a record can distinguish; the sign bit of its word stays unused. */
export const VERSIONS: number = 2 ** (32 - VERSION_SHIFT - 1);

/**
 * What identifies the period of a component: a window, a slot, an instant on its writer's clock, or
 * nothing.
 */
export type PeriodKind = "window" | "slot" | "instant" | "none";

/**
 * Whether a component's period is over, may still count, or is further ahead than clock errors
 * explain.
 */
export type Timing = "over" | "live" | "ahead";

/** The time after a step of the cluster's time. */
export interface StepTime {
  readonly now: number;
  readonly clusterNow: number;
}

/** Receives one component of a key; the object is reused, so copy it to keep it. */
export type ComponentVisitor = (component: Component) => void;

/**
 * How the components of one policy are stored in and beside a key's record.
 *
 * Times come with every call: `now` on this replica's clock, `clusterNow` on the cluster's.
 */
export interface Shape {
  readonly periodKind: PeriodKind;

  /** Prepares the zeroed words of a new record. */
  begin?(id: number): void;
  /** Reads all components again, after replicas have changed. */
  refresh(id: number, now: number, clusterNow: number): void;
  /** Drops everything that a reset ends. */
  wipe(id: number): void;
  /** Frees everything beside the record. */
  release(id: number): void;
  /** Frees everything beside all records: all of them end now, however many there are. */
  releaseAll(): void;

  /** Whether nothing in it counts any more. */
  isExpired(id: number, now: number, clusterNow: number): boolean;
  /** Whether own counts in it still count. */
  isOwn(id: number, now: number, clusterNow: number): boolean;
  /** Whether it holds permits of this replica and must not be evicted. */
  isHeld?(id: number): boolean;
  /** Releases up to `cost` of this replica's permits; returns how many. */
  releasePermits?(id: number, cost: number): number;
  /** Hits in it; lighter records are evicted first. */
  weight(id: number): number;
  /** Whether a reset ends its counts. */
  readonly endsWithReset: boolean;

  /** Reads what is beside some records, to load it into the processor's cache before a merge. */
  touch?(ids: Int32Array, count: number): void;
  /** Whether a component received now could still count. */
  timing(component: Component, now: number, clusterNow: number): Timing;
  /**
   * Merges another replica's component; returns whether it was new, undefined when the key has more
   * components than any lawful history makes.
   */
  join(id: number, component: Component, now: number, clusterNow: number): boolean | undefined;
  /**
   * Visits every own component that still counts.
   *
   * @param isFlush whether they leave in the frame after their last one: components that have not
   * changed
   *   since then may be left out
   */
  emit(
    id: number,
    now: number,
    clusterNow: number,
    component: Component,
    visit: ComponentVisitor,
    isFlush?: boolean,
  ): void;
  /** Visits what another replica is known to have counted, as far as it still counts. */
  emitRemote(
    id: number,
    replica: number,
    now: number,
    clusterNow: number,
    component: Component,
    visit: ComponentVisitor,
  ): void;
  /** Whether slots are folded into a level when they are over: only then there is a checkpoint. */
  readonly folds?: boolean;
  /** The least generation of own components: earlier counts are only in levels. */
  readonly generationMin?: number;
  /**
   * The cluster's time has stepped back from `clusterBefore`. Own components get a new generation,
   * and every record is folded before its next read.
   */
  stepBack?(generation: number, clusterBefore: number, storeState: StepTime): void;
  /** Folds all slots of a record into its level. */
  foldAll?(id: number, clusterNow: number): void;
  /** Assigns all own counts so far to the former id of this replica. */
  disown?(former: number, generation: number, clusterNow: number): void;
  /** The level of folded slots. */
  checkpoint?: ((id: number, clusterNow: number) => Checkpoint) | undefined;
  /** Merges another replica's level; returns whether it changed the local one. */
  joinCheckpoint?: ((id: number, received: Checkpoint, clusterNow: number) => boolean) | undefined;
  /** Marks every replica and opener that its components refer to. */
  refersTo(id: number, mark: (replica: number) => void): void;
}
