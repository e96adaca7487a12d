/**
 * Finds received hits that a level may already contain, after the cluster's time has stepped back.
 *
 * While time advances, a slot's number shows whether the slot was folded away or is still to come.
 * After a step back, numbers repeat: a count that arrives under such a number may be in a level
 * already. A replica whose own time steps back begins a new generation, so within one generation
 * its slot numbers only rise. One number per replica then separates the two cases: its last slot
 * received before the step.
 *
 * A level received from another replica contains hits of unknown origin. For a while, slots that
 * may be among them are not counted, whichever replica sends them. These are the slots that time
 * has stepped back to, and the last ones before them.
 */

import type { Component } from "../../../crdt/component.ts";
import { type Replicas, SELF } from "../../replicas/replicas.ts";
import type { StepTime } from "../../table/entry.ts";

/** More steps back of one replica than counts can still arrive from. */
const FLOORS_MAX = 16;
/** How long a frame may still bring counts from before a step. */
const FRAMES_MS = 3 * 60_000;
/**
 * Slots are published for some seconds, and a minute longer by a replica that waits out a small
 * step.
 */
const SLOTS_MS = 70_000;

/** Slots from which no counts are merged for a while. */
interface Range {
  readonly first: number;
  readonly last: number;
  readonly untilMs: number;
}

/** All slots up to this one, of all generations up to this one. */
interface Floor {
  readonly generation: number;
  readonly slot: number;
}

class Past {
  /** Indexes are reclaimed and assigned again, so the id is kept as well. */
  readonly id: string;
  /**
   * The last generation and slot received since the last step; a slot below all others before the
   * first.
   */
  generation = 0;
  slot = -1;
  floors: readonly Floor[] = [];

  constructor(id: string) {
    this.id = id;
  }

  /** Puts everything received so far below a floor. */
  step(): void {
    const { generation, slot } = this;
    if (slot < 0) return;
    const higher = this.floors.filter(
      (floor) => floor.generation > generation || floor.slot > slot,
    );
    this.floors = [...higher, { generation, slot }].slice(-FLOORS_MAX);
    this.slot = -1;
    this.generation = 0;
  }
}

export class SlotFloors {
  /** The least generation of own components: earlier counts are only in levels. */
  generation = 0;
  readonly #replicas: Replicas;
  readonly #slotMs: number;
  readonly #pasts: (Past | undefined)[] = [];
  #hasStepped = false;
  /**
   * The newest slot of the levels received since the last step; a slot below all others before the
   * first.
   */
  #levelSlot = -1;
  #ranges: readonly Range[] = [];

  constructor(replicas: Replicas, slotMs: number) {
    this.#replicas = replicas;
    this.#slotMs = slotMs;
  }

  /** Notes that a replica's count in a slot was received. */
  received(replica: number, generation: number, slot: number): void {
    const past = this.#pastOf(replica);
    if (slot > past.slot) past.slot = slot;
    if (generation >>> 0 > past.generation) past.generation = generation >>> 0;
  }

  /** Notes that the level after a slot was merged. */
  receivedLevel(slot: number): void {
    if (slot > this.#levelSlot) this.#levelSlot = slot;
  }

  /** Whether a component may already be in a level. */
  isFolded({ replica, generation, period }: Readonly<Component>, now: number): boolean {
    if (!this.#hasStepped) return false;
    for (const { first, last, untilMs } of this.#ranges) {
      if (period >= first && period <= last && now < untilMs) return true;
    }
    const { floors } = this.#pastOf(replica);
    return floors.some((floor) => generation >>> 0 <= floor.generation && period <= floor.slot);
  }

  /**
   * The cluster's time has stepped back from `clusterBefore`, and every slot has been folded away.
   *
   * @param generation of what this replica counts from now on
   */
  step(generation: number, clusterBefore: number, { now, clusterNow }: StepTime): void {
    this.#ranges = this.#ranges.filter(({ untilMs }) => now < untilMs).slice(-FLOORS_MAX);
    if (this.#levelSlot >= 0) {
      const untilMs = now + FRAMES_MS;
      const last = this.#levelSlot;
      const first = last - Math.ceil(SLOTS_MS / this.#slotMs);
      // Replicas whose clocks are a little ahead count in the next slot.
      const landed = { first: 0, last: this.#slotAt(clusterNow) + 1, untilMs };
      this.#ranges = [...this.#ranges, landed, { first, last, untilMs }];
    }
    // All own counts so far are in slots up to that one.
    this.received(SELF, generation - 1, this.#slotAt(clusterBefore));
    this.generation = generation;
    this.#hasStepped = true;
    for (const past of this.#pasts) past?.step();
    this.#levelSlot = -1;
  }

  /** Assigns all own counts so far to the former id of this replica. */
  disown(former: number, generation: number, clusterNow: number): void {
    this.#pastOf(former).floors = this.#pasts[SELF]?.floors ?? [];
    this.received(former, generation, this.#slotAt(clusterNow));
  }

  #slotAt(clusterNow: number): number {
    return Math.floor(clusterNow / this.#slotMs);
  }

  #pastOf(replica: number): Past {
    const id = this.#replicas.idOf(replica);
    const known = this.#pasts[replica];
    if (known !== undefined && known.id === id) return known;
    const past = new Past(id);
    this.#pasts[replica] = past;
    return past;
  }
}
