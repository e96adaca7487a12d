/**
 * Changes the id of this replica. Each id stands for one incarnation of a process.
 *
 * A replica changes its id when another process uses the same one, for example another copy of one
 * snapshot of a running process. Receivers merge by the maximum, so of two processes that raise one
 * count they would see the larger only. A replica also changes its id when its raw clock must be
 * set: a raw clock is published under one id, and never goes back.
 *
 * Before the change, the replica publishes what is pending under the old id, in slices. Those
 * counts then belong to the old id, here as everywhere. The permits that it holds move to the new
 * id: they are published again, together with the old id. The id changes only while no received
 * frame is half applied and no series of frames is half written.
 */

import { CLUSTER_EVENTS } from "../../base/cluster-events.ts";
import type { Publisher } from "../publish/publisher.ts";
import type { ReplicaContext } from "../replica-context.ts";
import type { Member } from "./member.ts";
import { halvesOf, successorOf } from "./replica-id.ts";

/** The least time between two changes: without a secret any sender can cause one. */
const CHANGE_AGAIN_MS = 60_000;
/** The least time between two publications of all that is held. */
const REPUBLISH_AGAIN_MS = 1_000;
/** How long frames carry the old id: other replicas take that id for alive for some seconds. */
const FORMER_SENT_MS = 10_000;

export class Incarnation {
  readonly #context: ReplicaContext;
  readonly #publisher: Publisher;
  /** Whether it is to change as soon as it can. */
  isChanging = false;
  #changedAtMs = Number.NEGATIVE_INFINITY;
  /** Whether the next id starts at the wall clock. */
  #renewsClock = false;
  #duplicateId: string | undefined;
  #republishedAtMs = Number.NEGATIVE_INFINITY;

  constructor(context: ReplicaContext, publisher: Publisher) {
    this.#context = context;
    this.#publisher = publisher;
  }

  /**
   * A replica claims to have received a replica's frame of this number. If the origin is this one
   * and has not sent that frame, another process uses the same id, for example a copy of a
   * snapshot.
   */
  claimed(id: string, number: number): void {
    if (id === this.#context.replicas.selfId && this.#publisher.isAhead(number)) this.change();
  }

  /**
   * Takes another id as soon as all counts are published under this one, unless the last change was
   * a moment ago.
   *
   * @param renewsClock whether the new id starts at the wall clock
   */
  change(renewsClock = false): void {
    const now = this.#context.clock.now();
    if (this.isChanging || now < this.#changedAtMs + CHANGE_AGAIN_MS) return;
    this.isChanging = true;
    this.#renewsClock = renewsClock;
    this.#publisher.finish(now);
  }

  /**
   * Takes the new id, if all counts are published under the old one. Called while no received frame
   * is half applied.
   */
  work(now: number): void {
    const finished = this.#publisher.finished(now);
    if (finished !== undefined) this.#take(finished === "all");
  }

  /**
   * The other process with this id has taken a new one. Receivers now assign all held permits to
   * that process, so this one publishes its own again. The frame number skips ahead, so they ask
   * for it.
   */
  duplicateRenamed({ id }: Member): void {
    const now = this.#context.clock.now();
    if (id === this.#duplicateId || now < this.#republishedAtMs + REPUBLISH_AGAIN_MS) return;
    this.#duplicateId = id;
    this.#republishedAtMs = now;
    this.#publisher.republishHeld();
  }

  #take(isAllPublished: boolean): void {
    const { replicas, members, clock, replicatedLimiters, sender, random, report } = this.#context;
    const now = clock.now();
    this.isChanging = false;
    this.#changedAtMs = now;
    const former = replicas.selfId;
    // An id that other replicas know would make them take new counts for old ones.
    const id = successorOf(former, random, (other) => members.find(other) !== undefined);
    const replica = replicas.renameSelf(id);
    replicas.setOffset(replica, -clock.originMs);
    // What was not published is known here, and is reported as the count of a dead replica.
    const upTo = isAllPublished ? sender.counted : this.#publisher.nextFrame;
    members.reported(former, now, now, -clock.originMs)?.frames.cover(0, upTo);
    replicatedLimiters.disown({ replica, originMs: clock.originMs });
    if (this.#renewsClock) {
      clock.renew();
      report(
        `the machine was suspended, or its clock was set: replica ${former} is now ${id}, and uses the time of the wall clock`,
        CLUSTER_EVENTS.clockRenewed,
      );
    } else {
      report(
        `another process uses the replica id ${former}: this process is now ${id}. Do not start two processes from one snapshot`,
        CLUSTER_EVENTS.idTaken,
      );
    }
    const untilMs = clock.rawNow() + FORMER_SENT_MS;
    replicas.formers.own = { ...halvesOf(former), upTo: sender.counted, untilMs };
    // Other replicas request all counts and permits of an id that they do not know.
    sender.hello();
  }
}
