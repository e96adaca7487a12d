/**
 * Moves own counts to the former id of this process after its id changed.
 *
 * Other replicas keep those counts under the former id, so new counts must not add to them. The id
 * change visits no record: each record is moved when it is read next, and no count is added to it
 * before that.
 */

import { blankComponent, type Component } from "../../crdt/component.ts";
import type { StoreState } from "../store-state.ts";
import { GENERATION, type Shape } from "../table/entry.ts";
import type { KeyRecords } from "../table/key-records.ts";
import { type Replicas, SELF } from "./replicas.ts";

/** The former id of this process. */
export interface Former {
  readonly replica: number;
  /** Converts a time of this process into the time published under the former id. */
  readonly originMs: number;
}

export class OwnershipTransfer {
  readonly #entries: KeyRecords;
  readonly #replicas: Replicas;
  readonly #storeState: StoreState;
  readonly #component = blankComponent();

  constructor(entries: KeyRecords, replicas: Replicas, storeState: StoreState) {
    this.#entries = entries;
    this.#replicas = replicas;
    this.#storeState = storeState;
  }

  /** Assigns all own components of a record to the former id. Permits stay own. */
  move(id: number, former: Former): void {
    for (const shape of this.#entries.shapes) {
      if (shape.endsWithReset) this.#moveShape(id, shape, former);
    }
  }

  #moveShape(id: number, shape: Shape, former: Former): void {
    const { now, clusterNow } = this.#storeState;
    const taken: Component[] = [];
    const take = (component: Readonly<Component>): void => {
      const moved = { ...component };
      if (moved.replica === SELF) moved.replica = former.replica;
      if (moved.opener === SELF) {
        moved.opener = former.replica;
        if (shape.places === "window" || shape.places === "instant") moved.place += former.originMs;
      }
      taken.push(moved);
    };
    const component = this.#component;
    component.replica = SELF;
    const begun = this.#entries.records.word(id, GENERATION) >>> 0;
    component.generation = Math.max(begun, shape.generationMin ?? 0);
    shape.emit(id, now, clusterNow, component, take);
    for (const replica of this.#replicas.known()) {
      component.replica = replica;
      shape.emitRemote(id, replica, now, clusterNow, component, take);
    }
    const checkpoint = shape.checkpoint?.(id, clusterNow);
    shape.wipe(id);
    if (checkpoint !== undefined) shape.joinCheckpoint?.(id, checkpoint, clusterNow);
    for (const moved of taken) shape.join(id, moved, now, clusterNow);
  }
}
