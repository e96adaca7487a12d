/**
 * The words that every key's record begins with, and the contract of the shapes behind them.
 *
 *     | fingerprint low | high | state | frame | generation | words of shape 0 | of shape 1 | …
 *
 * `state` packs flags and the epoch below the version under which the record was last read.
 */

import type { Checkpoint } from "../../crdt/checkpoint.ts";
import type { Component } from "../../crdt/component.ts";
import type { StepTime } from "../shapes/grid/slot-floors.ts";

export const STATE = 2;
/**
 * The frame in which the key's own components left last, or leave next. Where changes are kept track
 * of, a negative number stands for the next one, and says which of the pending records this is.
 */
export const FRAME = 3;
/** Frames' numbers are kept without their upper bits, and compared like hours on a clock. */
export const FRAME_MASK = 0x7fff_ffff;
/** The low 32 bits of the generation of own components; for a key known only from others, who introduced it. */
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
/** How often a reset has ended what was in the record, as far as eight bits can tell. */
export const EPOCH_MASK = 0xff0;
export const EPOCH_ONE = 0x10;
export const VERSION_SHIFT = 12;
/** How many versions a record can tell apart; the sign of its word stays unused. */
export const VERSIONS: number = 2 ** (32 - VERSION_SHIFT - 1);

/** What names the place of a component: a window, a slot of time, an instant on its writer's clock, or nothing. */
export type Places = "window" | "slot" | "instant" | "none";

/** Whether what a component is about is past, may still count, or lies further ahead than clocks err. */
export type Timing = "over" | "live" | "ahead";

/** Takes one component of a key; the object is reused and must be copied to be kept. */
export type ComponentVisitor = (component: Component) => void;

/**
 * How the components of one policy are stored in and beside a key's record.
 *
 * Times come with every call: `now` on this replica's clock, `clusterNow` on the cluster's.
 */
export interface Shape {
  /** Words it takes in a key's record. */
  readonly words: number;
  readonly places: Places;

  /** Prepares the zeroed words of a new record. */
  begin(id: number): void;
  /** Reads all components again, because replicas have changed. */
  refresh(id: number, now: number, clusterNow: number): void;
  /** Lets go of everything a reset ends. */
  wipe(id: number): void;
  /** Gives back all that lies beside the record. */
  release(id: number): void;
  /** Gives back all that lies beside all records, however many there are: they all end now. */
  releaseAll(): void;

  /** Whether nothing in it counts any more. */
  isExpired(id: number, now: number, clusterNow: number): boolean;
  /** Whether this replica has something of its own in it that counts. */
  isOwn(id: number, now: number, clusterNow: number): boolean;
  /** Whether it must not be given up, because someone will release it. */
  isHeld(id: number): boolean;
  /** Gives back what this replica holds of it, up to so much; returns how much that was. */
  give?(id: number, cost: number): number;
  /** Hits in it; the fewer, the sooner it is given up under pressure. */
  weight(id: number): number;
  /** Whether own components without a place lived in it, so that a successor needs a new generation. */
  readonly placeless: boolean;
  /** Whether a reset ends what it holds. */
  readonly endsWithReset: boolean;

  /** Reads what lies beside some records, so that it is at hand when they are joined. */
  touch?(ids: Int32Array, count: number): void;
  /** Whether a component heard now could still count. */
  timing(component: Component, now: number, clusterNow: number): Timing;
  /**
   * Merges another replica's component; returns whether it held anything new, undefined when there
   * are more of the key already than any lawful history makes.
   */
  join(id: number, component: Component, now: number, clusterNow: number): boolean | undefined;
  /**
   * Shows every own component that still counts.
   *
   * @param isFlush whether they leave for all others in the frame after the last that they left in: what
   *   has not changed since then may be left out
   */
  emit(
    id: number,
    now: number,
    clusterNow: number,
    component: Component,
    visit: ComponentVisitor,
    isFlush?: boolean,
  ): void;
  /** Shows what another replica is known to have counted, as far as it still counts. */
  emitHeard(
    id: number,
    replica: number,
    now: number,
    clusterNow: number,
    component: Component,
    visit: ComponentVisitor,
  ): void;
  /** Whether slots that are over are folded into a level. */
  readonly folds?: boolean;
  /** The least generation of own components: what was counted before it is in levels only. */
  readonly generationMin?: number;
  /**
   * The cluster's time, which was at `clusterBefore`, has stepped back. Own components are of a new
   * generation from now on, and every record is folded before it is looked at.
   */
  stepBack?(generation: number, clusterBefore: number, storeState: StepTime): void;
  /** Folds all slots of a record into its level. */
  foldAll?(id: number, clusterNow: number): void;
  /** What this replica has counted so far is another's. */
  disown?(former: number, generation: number, clusterNow: number): void;
  /** What is left of slots that were folded away. */
  checkpoint?: ((id: number, clusterNow: number) => Checkpoint) | undefined;
  /** Merges what another replica has left of such slots; returns whether it was better than ours. */
  joinCheckpoint?: ((id: number, heard: Checkpoint, clusterNow: number) => boolean) | undefined;
  /** Names every replica and opener that its components refer to. */
  refersTo(id: number, mark: (replica: number) => void): void;
}
