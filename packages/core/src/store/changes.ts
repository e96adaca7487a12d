/**
 * What leaves a store: own components, resets and marks, on their way to others.
 *
 * A change is known by the frame in which it leaves, so whoever has heard everything up to a frame
 * is shown what is of later ones. What a reset has ended never leaves as if it came after it.
 */

import { blankComponent, type Component } from "../lattice/component.ts";
import type { Entries } from "./entries.ts";
import { type ComponentVisitor, FRAME, GENERATION, LIVE, OWN, STATE } from "./entry.ts";
import { FINGERPRINT_HIGH, FINGERPRINT_LOW } from "./key-index.ts";
import type { Note, Notes } from "./notes.ts";
import type { Present } from "./present.ts";
import { SELF } from "./replicas.ts";
import type { Resets } from "./resets.ts";
import type { Versions } from "./versions.ts";

/** What a store shows of itself to those who carry it to others. */
export interface ChangeVisitor {
  /** An own component; the object is reused. */
  component(component: Readonly<Component>): void;
  /** Resets and marks of a key. */
  note(note: Readonly<Note>): void;
}

export class Changes {
  readonly #entries: Entries;
  readonly #notes: Notes;
  readonly #versions: Versions;
  readonly #resets: Resets;
  readonly #present: Present;
  readonly #component = blankComponent();

  constructor(
    entries: Entries,
    notes: Notes,
    versions: Versions,
    resets: Resets,
    present: Present,
  ) {
    this.#entries = entries;
    this.#notes = notes;
    this.#versions = versions;
    this.#resets = resets;
    this.#present = present;
  }

  /** Shows this replica's components, and the resets and marks it knows, of keys changed after `frame`. */
  since(frame: number, visitor: ChangeVisitor): void {
    const { records } = this.#entries;
    const visit = (component: Component): void => visitor.component(component);
    for (let id = 1; id < records.end; id++) {
      if ((records.word(id, STATE) & (LIVE | OWN)) !== (LIVE | OWN)) continue;
      if (((records.word(id, FRAME) - frame) | 0) <= 0) continue;
      this.#versions.renew(id);
      this.emit(id, visit);
    }
    for (const note of this.#notes.all()) if (note.frame > frame) visitor.note(note);
  }

  /** Shows the own components of one record, which must be up to date. */
  emit(id: number, visit: ComponentVisitor): void {
    const { records, shapes } = this.#entries;
    const { generation, now, clusterNow } = this.#present;
    const component = this.#component;
    component.low = records.word(id, FINGERPRINT_LOW);
    component.high = records.word(id, FINGERPRINT_HIGH);
    component.replica = SELF;
    // Only the low half is stored; it lies at most 2^32 evictions back.
    const age = ((generation | 0) - records.word(id, GENERATION)) >>> 0;
    component.generation = generation - age;
    const reset = this.#resets.known(component.low, component.high);
    shapes.forEach((shape, policy) => {
      component.policy = policy;
      component.reset = shape.endsWithReset ? reset : 0;
      shape.emit(id, now, clusterNow, component, visit);
    });
  }
}
