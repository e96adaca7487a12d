/**
 * Counts of other replicas' slots from before a step back of the cluster's time; levels contain
 * them.
 *
 * After the step, slot numbers repeat. A replica repeats its old slots until it counts in a new
 * generation. So for each generation, the slots up to the last one that was received before the
 * step are not merged.
 */

import type { World } from "./book.ts";
import type { ReferenceComponent } from "./ledger.ts";

type Heard = Pick<ReferenceComponent, "replica" | "generation" | "period">;

export class ReferenceFloors {
  /** The least generation of own components. */
  generation = 0;
  #heard: Heard[] = [];
  #floors: Heard[] = [];
  #levelSlots: number[] = [];
  #ranges: { first: number; last: number; untilMs: number }[] = [];
  readonly #slotMs: number;

  constructor(slotMs: number) {
    this.#slotMs = slotMs;
  }

  heard({ replica, generation, period }: ReferenceComponent): void {
    this.#heard.push({ replica, generation, period });
  }

  /** A level was received: the origin of its hits is unknown. */
  receivedLevel(slot: number): void {
    this.#levelSlots.push(slot);
  }

  step(generation: number, { now, clusterNow }: Pick<World, "now" | "clusterNow">): void {
    this.generation = generation;
    if (this.#levelSlots.length > 0) {
      const last = Math.max(...this.#levelSlots);
      const untilMs = now + 180_000;
      const landed = Math.floor(clusterNow / this.#slotMs) + 1;
      this.#ranges.push({ first: 0, last: landed, untilMs });
      this.#ranges.push({ first: last - Math.ceil(70_000 / this.#slotMs), last, untilMs });
    }
    this.#levelSlots = [];
    for (const replica of new Set(this.#heard.map((heard) => heard.replica))) {
      const heard = this.#heard.filter((component) => component.replica === replica);
      this.#floors.push({
        replica,
        generation: Math.max(...heard.map((component) => component.generation)),
        period: Math.max(...heard.map((component) => component.period)),
      });
    }
    this.#heard = [];
  }

  isBelow({ replica, generation, period }: ReferenceComponent, now: number): boolean {
    const isInRange = this.#ranges.some(
      ({ first, last, untilMs }) => period >= first && period <= last && now < untilMs,
    );
    if (isInRange) return true;
    return this.#floors.some(
      (floor) =>
        floor.replica === replica && generation <= floor.generation && period <= floor.period,
    );
  }

  /** A replica that returns after this is a different one. */
  drop(replica: string): void {
    this.#heard = this.#heard.filter((heard) => heard.replica !== replica);
    this.#floors = this.#floors.filter((floor) => floor.replica !== replica);
  }
}
