/**
 * Which of other replicas' hits are in levels since before a step back of the cluster's time.
 *
 * Slots that were folded away are told from those that are still to come by their numbers, as long as
 * time goes on. When it steps back, numbers come again: what is heard under one may be what is in a
 * level already, told once more. A replica whose own time steps back begins a new generation, so within
 * a generation its numbers only rise, and one number for each replica tells the two apart: the last that
 * was heard before the step.
 *
 * A level that was heard has hits in it of which nothing else is known. What may be among them is not
 * counted for a while, whoever tells it: the slots that time has stepped back to, and the last ones before.
 */

import type { Component } from "../../../crdt/component.ts";
import { type Replicas, SELF } from "../../replicas/replicas.ts";
import type { StoreState } from "../../store-state.ts";

/** More steps back of one replica than can still be heard of. */
const FLOORS_MAX = 16;
/** For so long somebody may tell what was counted before a step. */
const TOLD_MS = 3 * 60_000;
/** Slots are told for some seconds, and for a minute more by whoever waits out a small step. */
const KEPT_MS = 70_000;

/** Slots of which nothing is believed for a while. */
interface Range {
  readonly first: number;
  readonly last: number;
  readonly untilMs: number;
}

/** All slots up to one, of all generations up to one. */
interface Floor {
  readonly generation: number;
  readonly slot: number;
}

/** The time after a step. */
export type StepTime = Pick<StoreState, "now" | "clusterNow">;

class Past {
  /** Numbers are taken back and given to others. */
  readonly id: string;
  /** The last generation and slot heard since the last step; a slot below all before the first. */
  generation = 0;
  slot = -1;
  floors: readonly Floor[] = [];

  constructor(id: string) {
    this.id = id;
  }

  /** Has what was heard so far be below a floor. */
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
  /** The least generation of own components: what was counted before it is in levels only. */
  generation = 0;
  readonly #replicas: Replicas;
  readonly #slotMs: number;
  readonly #pasts: (Past | undefined)[] = [];
  #hasStepped = false;
  /** The newest slot of the levels that were heard since the last step; a slot below all before the first. */
  #levelSlot = -1;
  #ranges: readonly Range[] = [];

  constructor(replicas: Replicas, slotMs: number) {
    this.#replicas = replicas;
    this.#slotMs = slotMs;
  }

  /** Takes note of what a replica has counted in a slot. */
  heard(replica: number, generation: number, slot: number): void {
    const past = this.#pastOf(replica);
    if (slot > past.slot) past.slot = slot;
    if (generation >>> 0 > past.generation) past.generation = generation >>> 0;
  }

  /** Takes note of a level after a slot that has been merged. */
  heardLevel(slot: number): void {
    if (slot > this.#levelSlot) this.#levelSlot = slot;
  }

  /** Whether a component may be in levels already. */
  isFolded({ replica, generation, place }: Readonly<Component>, now: number): boolean {
    if (!this.#hasStepped) return false;
    for (const { first, last, untilMs } of this.#ranges) {
      if (place >= first && place <= last && now < untilMs) return true;
    }
    const { floors } = this.#pastOf(replica);
    return floors.some((floor) => generation >>> 0 <= floor.generation && place <= floor.slot);
  }

  /**
   * The cluster's time has stepped back from what it was before, and every slot been folded away.
   *
   * @param generation of what this replica counts from now on
   */
  step(generation: number, clusterBefore: number, { now, clusterNow }: StepTime): void {
    this.#ranges = this.#ranges.filter(({ untilMs }) => now < untilMs).slice(-FLOORS_MAX);
    if (this.#levelSlot >= 0) {
      const untilMs = now + TOLD_MS;
      const last = this.#levelSlot;
      const first = last - Math.ceil(KEPT_MS / this.#slotMs);
      // Those who are a little ahead count in the next one.
      const landed = { first: 0, last: this.#slotAt(clusterNow) + 1, untilMs };
      this.#ranges = [...this.#ranges, landed, { first, last, untilMs }];
    }
    // Whatever this replica has counted, it was in slots up to that.
    this.heard(SELF, generation - 1, this.#slotAt(clusterBefore));
    this.generation = generation;
    this.#hasStepped = true;
    for (const past of this.#pasts) past?.step();
    this.#levelSlot = -1;
  }

  /** What this replica has counted so far is another's. */
  disown(former: number, generation: number, clusterNow: number): void {
    this.#pastOf(former).floors = this.#pasts[SELF]?.floors ?? [];
    this.heard(former, generation, this.#slotAt(clusterNow));
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
