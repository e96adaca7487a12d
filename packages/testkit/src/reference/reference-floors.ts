/**
 * What was heard of others' slots before the cluster's time stepped back, and is in levels since.
 *
 * Slots come again then. A replica says the same of old ones until it counts in a new generation, so of
 * each generation nothing is believed up to the last slot that was heard before the step.
 */

import type { ReferenceComponent } from "./ledger.ts";

type Heard = Pick<ReferenceComponent, "replica" | "generation" | "place">;

export class ReferenceFloors {
  /** The least generation of own components. */
  generation = 0;
  #heard: Heard[] = [];
  #floors: Heard[] = [];

  heard({ replica, generation, place }: ReferenceComponent): void {
    this.#heard.push({ replica, generation, place });
  }

  step(generation: number): void {
    this.generation = generation;
    for (const replica of new Set(this.#heard.map((heard) => heard.replica))) {
      const heard = this.#heard.filter((component) => component.replica === replica);
      this.#floors.push({
        replica,
        generation: Math.max(...heard.map((component) => component.generation)),
        place: Math.max(...heard.map((component) => component.place)),
      });
    }
    this.#heard = [];
  }

  isBelow({ replica, generation, place }: ReferenceComponent): boolean {
    return this.#floors.some(
      (floor) =>
        floor.replica === replica && generation <= floor.generation && place <= floor.place,
    );
  }

  /** A replica that returns after this is another one. */
  drop(replica: string): void {
    this.#heard = this.#heard.filter((heard) => heard.replica !== replica);
    this.#floors = this.#floors.filter((floor) => floor.replica !== replica);
  }
}
