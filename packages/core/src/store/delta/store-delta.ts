/**
 * Reads what a store publishes: own components, resets and marks that changed after a frame.
 *
 * Each change carries the number of the frame in which it leaves. A receiver that has merged
 * everything up to a frame needs only the changes of later frames. Counts that a reset has ended
 * never leave with the new reset.
 *
 * A store may have millions of records, so everything that visits many is done in slices.
 */

import { type Slices, sliced } from "../../base/slices.ts";
import { blankComponent, type Component } from "../../crdt/component.ts";
import type { Resets } from "../marks/resets.ts";
import type { RecordVersions } from "../record-versions.ts";
import { SELF } from "../replicas/replicas.ts";
import type { StoreState } from "../store-state.ts";
import {
  type ComponentVisitor,
  FRAME,
  FRAME_MASK,
  GENERATION,
  LIVE,
  OWN,
  STATE,
} from "../table/entry.ts";
import { FINGERPRINT_HIGH, FINGERPRINT_LOW } from "../table/key-index.ts";
import type { KeyRecords } from "../table/key-records.ts";
import type { UnsentCounts } from "./unsent-counts.ts";

/** Records that are sorted by replica at once, and kept until their components are visited. */
const RECORDS_SORTED = 8_192;

export class StoreDelta {
  readonly #entries: KeyRecords;
  readonly #unsent: UnsentCounts | null;
  readonly #versions: RecordVersions;
  readonly #resets: Resets;
  readonly #storeState: StoreState;
  readonly #component = blankComponent();

  constructor(
    entries: KeyRecords,
    unsent: UnsentCounts | null,
    versions: RecordVersions,
    resets: Resets,
    storeState: StoreState,
  ) {
    this.#entries = entries;
    this.#unsent = unsent;
    this.#versions = versions;
    this.#resets = resets;
    this.#storeState = storeState;
  }

  /**
   * Visits own components of one policy that leave in the frame closed last and changed after
   * `frame`.
   */
  closed(frame: number, policy: number, visit: ComponentVisitor): Slices {
    return this.#settled((id) => this.emitIfChanged(id, frame, policy, visit, true));
  }

  /** Writes the number of the frame closed last into its records, and visits nothing. */
  settle(): Slices {
    return this.#settled(() => {});
  }

  #settled(visit: (id: number) => void): Slices {
    const unsent = this.#unsent;
    return sliced(
      0,
      () => unsent?.closedSize ?? 0,
      (index) => visit(unsent!.settle(index)),
    );
  }

  /** Visits all own components of one policy that changed after `frame`. */
  changed(frame: number, policy: number, visit: ComponentVisitor): Slices {
    return sliced(
      1,
      () => this.#entries.records.end,
      (id) => this.emitIfChanged(id, frame, policy, visit, false),
    );
  }

  /**
   * Visits everything that some other replicas are known to have counted. Each of them may have
   * counted few of many keys, so the records are scanned once for all of these replicas.
   *
   * @param visitorOf is called for each replica and, in order, for each of its policies, many times
   */
  *received(
    replicas: readonly number[],
    visitorOf: (replica: number, policy: number) => ComponentVisitor,
  ): Slices {
    const { records, shapes } = this.#entries;
    const countedIn = new Map(replicas.map((replica): [number, number[]] => [replica, []]));
    for (let first = 1; first < records.end; first += RECORDS_SORTED) {
      yield* sliced(
        first,
        () => Math.min(first + RECORDS_SORTED, records.end),
        (id) =>
          this.refersTo(id, (replica) => {
            const found = countedIn.get(replica);
            if (found !== undefined && found.at(-1) !== id) found.push(id);
          }),
      );
      for (const [replica, found] of countedIn) {
        if (found.length === 0) continue;
        for (const policy of shapes.keys()) {
          const visit = visitorOf(replica, policy);
          yield* sliced(
            0,
            () => found.length,
            (index) => this.emitRemote(found[index]!, replica, policy, visit),
          );
        }
        found.length = 0;
      }
    }
  }

  /**
   * Visits the own components of one policy in a record, if the record has changed after `frame`.
   */
  emitIfChanged(
    id: number,
    frame: number,
    policy: number,
    visit: ComponentVisitor,
    isFlush: boolean,
  ): void {
    const { records } = this.#entries;
    if (id >= records.end || (records.word(id, STATE) & (LIVE | OWN)) !== (LIVE | OWN)) return;
    const left = records.word(id, FRAME);
    // The sign of the difference of two 31-bit numbers is in their highest bit.
    if (frame > 0 && left >= 0 && (left - (frame & FRAME_MASK)) << 1 <= 0) return;
    this.#versions.renew(id);
    this.emit(id, visit, policy, isFlush);
  }

  /** Marks every replica that is known to have counted in a record, and possibly others. */
  refersTo(id: number, mark: (replica: number) => void): void {
    if (this.#versions.renewIfLive(id)) this.#entries.refersTo(id, mark);
  }

  /** Visits what another replica is known to have counted under one policy in a record. */
  emitRemote(id: number, replica: number, policy: number, visit: ComponentVisitor): void {
    if (!this.#versions.renewIfLive(id)) return;
    const { shapes } = this.#entries;
    const { now, clusterNow } = this.#storeState;
    const component = this.#component;
    const shape = shapes[policy]!;
    this.#identify(id, component);
    component.replica = replica;
    component.policy = policy;
    if (!shape.endsWithReset) component.reset = 0;
    shape.emitRemote(id, replica, now, clusterNow, component, visit);
  }

  /**
   * Visits the own components of one record, or of one of its policies. The record must be up to
   * date.
   */
  emit(id: number, visit: ComponentVisitor, only?: number, isFlush = false): void {
    const { records, shapes } = this.#entries;
    const { generation, now, clusterNow } = this.#storeState;
    const component = this.#component;
    this.#identify(id, component);
    component.replica = SELF;
    // Only the low half is stored; it is at most 2^32 evictions old.
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

  /** Fills in the key and the current reset of the key. */
  #identify(id: number, component: Component): void {
    const { records } = this.#entries;
    component.low = records.word(id, FINGERPRINT_LOW);
    component.high = records.word(id, FINGERPRINT_HIGH);
    component.reset = this.#resets.known(component.low, component.high);
  }
}
