/**
 * Turns what has changed in the stores into frames: the counts of a flush, or the answer to someone
 * who missed some.
 *
 * Both may be long, so they are written in slices: whoever runs them goes on with something else in
 * between. Counts that are raised meanwhile leave in the next frame.
 */

import type { Component } from "../lattice/component.ts";
import { type Replicas, SELF } from "../store/replicas.ts";
import type { OpenerName } from "../wire/component-writer.ts";
import type { ClusterClock } from "./cluster-clock.ts";
import type { Envelope } from "./envelope.ts";
import { FrameSeries } from "./frame-series.ts";
import { halvesOf } from "./replica-id.ts";
import type { Share } from "./share.ts";
import type { Slices } from "./slicer.ts";

/** Records that are looked at between two looks at the time. */
const RECORDS_PER_SLICE = 512;

export interface OutboxOptions {
  /** Where frames are written: nobody else may write there meanwhile. */
  readonly envelope: Envelope;
  readonly clock: ClusterClock;
  readonly replicas: Replicas;
  readonly shares: () => Iterable<Share>;
  readonly publish: (frame: Uint8Array, to: string | undefined) => void;
}

export class Outbox {
  readonly #options: OutboxOptions;
  readonly #series: FrameSeries;

  constructor(options: OutboxOptions) {
    const { envelope, clock, publish } = options;
    this.#options = options;
    this.#series = new FrameSeries({
      envelope,
      names: { describe: (opener, openedAtMs) => this.#describe(opener, openedAtMs) },
      rawNow: () => clock.rawNow(),
      publish,
    });
  }

  /** The frame of counts that has just been closed in all stores. */
  *counts(number: number): Slices {
    const since = number - 1;
    this.#series.begin({ kind: "counts", since, upTo: number });
    for (const share of this.#options.shares()) {
      const { pending } = share.store;
      if (pending !== null) yield* this.#records(share, pending.closed, since);
      this.#givenUp(share);
      this.#notes(share, since);
    }
    this.#series.end();
  }

  /** All that changed after one frame of counts, and until the one that was sent last. */
  *page(since: number, upTo: number, to: string | undefined): Slices {
    this.#series.begin({ kind: "page", since, upTo, to });
    for (const share of this.#options.shares()) {
      yield* this.#records(share, undefined, since);
      this.#notes(share, since);
    }
    this.#series.end();
  }

  /** Of some records, or of all, what changed after a frame. */
  *#records(share: Share, ids: Int32Array | undefined, since: number): Slices {
    const { store, identity, places } = share;
    const limiter = { limiterLow: identity.low, limiterHigh: identity.high };
    for (const [policy, kind] of places.entries()) {
      this.#series.section({ ...limiter, policy, places: kind });
      const visit = this.#visitor(share, policy);
      const end = (): number => ids?.length ?? store.records.end;
      for (let at = ids === undefined ? 1 : 0; at < end(); at++) {
        store.changes.emitIfChanged(ids === undefined ? at : ids[at]!, since, policy, visit);
        if (at % RECORDS_PER_SLICE === 0) yield;
      }
    }
  }

  #givenUp(share: Share): void {
    const { identity, places } = share;
    const limiter = { limiterLow: identity.low, limiterHigh: identity.high };
    const components = share.takeGivenUp();
    if (components.length === 0) return;
    for (const [policy, kind] of places.entries()) {
      this.#series.section({ ...limiter, policy, places: kind });
      const visit = this.#visitor(share, policy);
      for (const component of components) if (component.policy === policy) visit(component);
    }
  }

  #notes(share: Share, since: number): void {
    const resetAll = share.store.resetAllSince(since);
    const notes = share.store.changes.changedNotes(since);
    if (notes.length > 0 || resetAll > 0) this.#series.notes(share.identity, resetAll, notes);
  }

  /** Own times leave by the raw clock, which others can make sense of. */
  #visitor(share: Share, policy: number): (component: Readonly<Component>) => void {
    const { originMs } = this.#options.clock;
    const { places } = share.store.shapes[policy]!;
    const series = this.#series;
    if (places === "instant") return (component) => series.component(component, originMs);
    if (places !== "window") return (component) => series.component(component, 0);
    return (component) => series.component(component, component.opener === SELF ? originMs : 0);
  }

  #describe(opener: number, openedAtMs: number): OpenerName {
    const { clock, replicas } = this.#options;
    const toRaw = opener === SELF ? 0 : replicas.offsetMs(opener) + clock.originMs;
    const { low, high } = halvesOf(replicas.idOf(opener));
    return { low, high, agoMs: this.#series.sentAtMs - (openedAtMs + toRaw) };
  }
}
