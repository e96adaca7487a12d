/**
 * What leaves a store: own components, resets and marks, on their way to others.
 *
 * A change is known by the frame in which it leaves, so whoever has heard everything up to a frame
 * is shown what is of later ones. What a reset has ended never leaves as if it came after it.
 */

import { blankComponent, type Component } from "../lattice/component.ts";
import type { Entries } from "./entries.ts";
import { type ComponentVisitor, FRAME, FRAME_MASK, GENERATION, LIVE, OWN, STATE } from "./entry.ts";
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
    const visit = (component: Component): void => visitor.component(component);
    for (let id = 1; id < this.#entries.records.end; id++) {
      if (this.#hasChanged(id, frame)) this.emit(id, visit);
    }
    for (const note of this.#notes.changedSince(frame)) visitor.note(note);
  }

  /** Shows the own components that one policy has in a record, if it has changed after `frame`. */
  emitIfChanged(
    id: number,
    frame: number,
    policy: number,
    visit: ComponentVisitor,
    isFlush: boolean,
  ): void {
    if (this.#hasChanged(id, frame)) this.emit(id, visit, policy, isFlush);
  }

  /** Whether an own record has something that leaves after a frame; then it is up to date as well. */
  #hasChanged(id: number, frame: number): boolean {
    const { records } = this.#entries;
    if (id >= records.end || (records.word(id, STATE) & (LIVE | OWN)) !== (LIVE | OWN))
      return false;
    const left = records.word(id, FRAME);
    // The difference of two numbers of 31 bits, whose sign is in their uppermost.
    if (frame > 0 && left >= 0 && (left - (frame & FRAME_MASK)) << 1 <= 0) return false;
    this.#versions.renew(id);
    return true;
  }

  /** Brings a record up to date; false if it is not in use. */
  #renew(id: number): boolean {
    const { records } = this.#entries;
    if (id >= records.end || (records.word(id, STATE) & LIVE) === 0) return false;
    this.#versions.renew(id);
    return true;
  }

  /** Names every replica that is known to have counted in a record, and perhaps some that have not. */
  refersTo(id: number, mark: (replica: number) => void): void {
    if (this.#renew(id)) this.#entries.refersTo(mark, id, 1);
  }

  /** Shows what another replica is known to have counted under one policy in a record. */
  emitHeard(id: number, replica: number, policy: number, visit: ComponentVisitor): void {
    if (!this.#renew(id)) return;
    const { shapes } = this.#entries;
    const { now, clusterNow } = this.#present;
    const component = this.#component;
    const shape = shapes[policy]!;
    this.#identify(id, component);
    component.replica = replica;
    component.policy = policy;
    if (!shape.endsWithReset) component.reset = 0;
    shape.emitHeard(id, replica, now, clusterNow, component, visit);
  }

  /** Shows the own components of one record, which must be up to date; perhaps only of one policy. */
  emit(id: number, visit: ComponentVisitor, only?: number, isFlush = false): void {
    const { records, shapes } = this.#entries;
    const { generation, now, clusterNow } = this.#present;
    const component = this.#component;
    this.#identify(id, component);
    component.replica = SELF;
    // Only the low half is stored; it lies at most 2^32 evictions back.
    const age = ((generation | 0) - records.word(id, GENERATION)) >>> 0;
    const begun = generation - age;
    const { reset } = component;
    shapes.forEach((shape, policy) => {
      if (only !== undefined && policy !== only) return;
      component.policy = policy;
      component.reset = shape.endsWithReset ? reset : 0;
      component.generation = Math.max(begun, shape.generationMin ?? 0);
      shape.emit(id, now, clusterNow, component, visit, isFlush);
    });
  }

  /** Fills in the key, and the reset that everything known of it is of. */
  #identify(id: number, component: Component): void {
    const { records } = this.#entries;
    component.low = records.word(id, FINGERPRINT_LOW);
    component.high = records.word(id, FINGERPRINT_HIGH);
    component.reset = this.#resets.known(component.low, component.high);
  }
}
