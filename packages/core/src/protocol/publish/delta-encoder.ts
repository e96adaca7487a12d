/**
 * Encodes what has changed in the stores into frames: the delta of a flush, or the sync reply to a
 * replica that missed frames.
 *
 * Both may be long, so they are written in slices, with other work in between. Counts that rise
 * meanwhile leave in the next frame.
 */

import type { Slices } from "../../base/slices.ts";
import type { Component } from "../../crdt/component.ts";
import { SELF } from "../../store/replicas/replicas.ts";
import type { OpenerName } from "../../wire/component-section.ts";
import type { Halves } from "../../wire/frame.ts";
import type { WireNote } from "../../wire/note-section.ts";
import { Envelope } from "../envelope.ts";
import type { ReplicatedLimiter } from "../limiters/replicated-limiter.ts";
import type { Member } from "../membership/member.ts";
import { halvesOf } from "../membership/replica-id.ts";
import type { FramesKnown } from "../receive/received-frames.ts";
import type { ReplicaContext } from "../replica-context.ts";
import type { FrameLane } from "./frame-lane.ts";
import { type DeadReplica, FrameSeries } from "./frame-series.ts";

/** A live replica has answered a joining replica's hello within this time. */
const ANSWERED_MS = 400;
const NOTES_PER_SLICE = 256;
const NO_FRAMES: FramesKnown = { upTo: 0, above: 0 };

/** What a sync reply contains, or what is published because a replica missed it. */
export interface SyncReply {
  /** The frame of counts after which changes are included; infinite for none. */
  readonly since: number;
  /** The replica that it is for; absent for a broadcast. */
  readonly to: string | undefined;
  /** Other replicas to report on as well. */
  readonly others: readonly Member[];
  /**
   * Whether it is for a joining replica, whose hello has just shown which replicas are alive.
   */
  readonly toJoining: boolean;
  /** Whether to include checkpoints: the levels of folded slots. */
  readonly levels: boolean;
}

export class DeltaEncoder {
  readonly #context: ReplicaContext;
  readonly #series: FrameSeries;

  /** @param lane takes the frames */
  constructor(context: ReplicaContext, lane: FrameLane) {
    const { seal, replicas, sender } = context;
    this.#context = context;
    const envelope = new Envelope(seal, replicas, sender.transport);
    this.#series = new FrameSeries(context, envelope, lane, (...opener) =>
      this.#nameOpener(...opener),
    );
  }

  /**
   * The delta: the frame of counts that has just been closed in all stores.
   *
   * @param isLast whether this replica leaves, so that nothing can be requested from it later
   */
  *counts(number: number, isLast: boolean): Slices {
    const since = number - 1;
    this.#series.begin({ kind: "counts", since, upTo: number });
    if (isLast) this.#series.unrepeated();
    for (const replicated of this.#context.replicatedLimiters.all()) {
      yield* this.#closed(replicated, since);
      yield* this.#notes(replicated, since);
    }
    this.#evicted();
    this.#series.end();
  }

  /** Closes the frame without sending it, while the transport is not connected. */
  *silence(): Slices {
    for (const { store } of this.#context.replicatedLimiters.all()) yield* store.delta.settle();
  }

  /**
   * A sync reply: all that changed after one frame of counts up to the last one, and the counts of
   * other replicas that cannot be asked any more. It includes all held permits if the store no
   * longer knows which were released after that frame.
   */
  *reply(reply: SyncReply, upTo: number): Slices {
    const { to, others, toJoining, levels } = reply;
    const since = Math.min(reply.since, upTo);
    const { replicatedLimiters } = this.#context;
    const hasAllPermits = replicatedLimiters.hasForgotten(since);
    this.#series.begin({ kind: "reply", since, upTo, to, hasAllPermits });
    for (const replicated of replicatedLimiters.all()) {
      if (since < upTo) yield* this.#changed(replicated, since, hasAllPermits);
      yield* this.#notes(replicated, since);
    }
    const dead = this.#reportOn(others, toJoining);
    if (dead.size > 0) {
      for (const replicated of replicatedLimiters.all()) yield* this.#countsOf(replicated, dead);
    }
    // Levels come last: they contain the slots above that have become too old to be merged
    // meanwhile.
    if (levels) {
      for (const replicated of replicatedLimiters.all()) yield* this.#levels(replicated);
    }
    // Releases that were forgotten while this was written may be missing in it.
    if (replicatedLimiters.hasForgotten(since) && !hasAllPermits) yield* this.reply(reply, upTo);
    else this.#series.end();
  }

  /** From the records of the frame that was closed last, what changed after the frame before. */
  *#closed(replicated: ReplicatedLimiter, since: number): Slices {
    for (const policy of replicated.periodEncodings.keys()) {
      const visit = this.#section(replicated, policy);
      yield* replicated.store.delta.closed(since, policy, visit);
    }
  }

  /** From all records, what changed after a frame, and if needed all that is held. */
  *#changed(replicated: ReplicatedLimiter, since: number, hasAllPermits: boolean): Slices {
    for (const [policy, encoding] of replicated.periodEncodings.entries()) {
      const visit = this.#section(replicated, policy);
      const after = hasAllPermits && encoding === "none" ? 0 : since;
      yield* replicated.store.delta.changed(after, policy, visit);
    }
  }

  /**
   * Names the other replicas; returns the dead ones, whose counts follow, by their index in stores.
   */
  #reportOn(others: readonly Member[], toJoining: boolean): Map<number, DeadReplica> {
    const { clock } = this.#context;
    const now = clock.now();
    const dead = new Map<number, DeadReplica>();
    for (const { id, index, frames, lastReceivedMs, lastSentMs, isAlive, offset } of others) {
      const aheadMs = -(offset.likelyOffsetMs + clock.originMs);
      // A relayed frame does not show for how long its origin has been silent.
      const silentMs = Math.max(0, now - lastSentMs);
      // A replica that has not answered the hello of a joining one may have just crashed.
      const reportsItself = isAlive && (!toJoining || now - lastReceivedMs <= ANSWERED_MS);
      const known = reportsItself ? NO_FRAMES : frames.known;
      const other = { ...halvesOf(id), ...known, aheadMs, silentMs };
      this.#series.reportOn(other);
      if (!reportsItself) dead.set(index, other);
    }
    return dead;
  }

  /** All counts of dead replicas in one limiter. */
  *#countsOf(replicated: ReplicatedLimiter, dead: ReadonlyMap<number, DeadReplica>): Slices {
    const { delta } = replicated.store;
    yield* delta.received([...dead.keys()], (index, policy) => {
      const other = dead.get(index)!;
      if (policy === 0) this.#series.reportOn(other);
      return this.#section(replicated, policy, other);
    });
  }

  /** The counts of evicted records, which no sync reply can repeat. */
  #evicted(): void {
    for (const replicated of this.#context.replicatedLimiters.all()) {
      const components = replicated.takeEvicted();
      if (components.length === 0) continue;
      this.#series.unrepeated();
      for (const policy of replicated.periodEncodings.keys()) {
        const visit = this.#section(replicated, policy);
        for (const component of components) if (component.policy === policy) visit(component);
      }
    }
  }

  /** The resets and marks that arrived after a frame. */
  *#notes({ store, identity }: ReplicatedLimiter, since: number): Slices {
    const resetAll = store.resets.allSince(since);
    if (resetAll > 0) this.#series.notes(identity, resetAll, []);
    let changed: WireNote[] = [];
    for (const note of store.notes.changedSince(since)) {
      changed.push(note);
      if (changed.length < NOTES_PER_SLICE) continue;
      this.#series.notes(identity, 0, changed);
      changed = [];
      yield;
    }
    if (changed.length > 0) this.#series.notes(identity, 0, changed);
  }

  /** The checkpoints: what remains of folded slots, of all replicas together. */
  *#levels({ store, periodEncodings, identity }: ReplicatedLimiter): Slices {
    for (const policy of periodEncodings.keys()) {
      yield* store.checkpoints.all(policy, (levels) =>
        this.#series.checkpoints(identity, policy, levels),
      );
    }
  }

  /**
   * Begins the counts of a policy, of this replica or of another one; returns what adds each.
   *
   * Own times leave by the raw clock, which other replicas can convert. Other replicas' times are by
   * their own raw clocks, except in windows that this replica opened.
   */
  #section(
    { identity, periodEncodings, store }: ReplicatedLimiter,
    policy: number,
    of?: Halves,
  ): (component: Readonly<Component>) => void {
    const series = this.#series;
    const head = { limiter: identity, policy, encoding: periodEncodings[policy]! };
    series.section({ ...head, of: of ?? { low: 0, high: 0 } });
    const { originMs } = this.#context.clock;
    const { periodKind } = store.shapes[policy]!;
    if (periodKind === "instant" && of === undefined) {
      return (component) => series.component(component, originMs);
    }
    if (periodKind !== "window") return (component) => series.component(component, 0);
    return (component) => series.component(component, component.opener === SELF ? originMs : 0);
  }

  #nameOpener(opener: number, openedAtMs: number): OpenerName {
    const { clock, replicas } = this.#context;
    const toRaw = opener === SELF ? 0 : replicas.offsetMs(opener) + clock.originMs;
    const agoMs = this.#series.sentAtMs - (openedAtMs + toRaw);
    return { ...halvesOf(replicas.idOf(opener)), agoMs };
  }
}
