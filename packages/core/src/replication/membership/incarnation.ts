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
 * id: they are published again, together with the old id.
 */

import { CLUSTER_EVENTS, type Report } from "../../base/cluster-events.ts";
import type { Replicas } from "../../store/replicas/replicas.ts";
import type { ClusterClock } from "../clock/cluster-clock.ts";
import type { ReplicatedLimiters } from "../limiters/replicated-limiters.ts";
import type { FrameSender } from "../publish/frame-sender.ts";
import type { Publisher } from "../publish/publisher.ts";
import type { Member } from "./member.ts";
import type { Membership } from "./membership.ts";
import { halvesOf, successorOf } from "./replica-id.ts";

/** The least time between two changes: without a secret any sender can cause one. */
const CHANGE_AGAIN_MS = 60_000;
/** The least time between two publications of all that is held. */
const REPUBLISH_AGAIN_MS = 1_000;
/** How long frames carry the old id: other replicas take that id for alive for some seconds. */
const FORMER_SENT_MS = 10_000;

export interface IncarnationOptions {
  readonly replicas: Replicas;
  readonly members: Membership;
  readonly clock: ClusterClock;
  readonly replicatedLimiters: ReplicatedLimiters;
  readonly sender: FrameSender;
  readonly publisher: Publisher;
  readonly random: () => number;
  readonly report: Report;
}

export class Incarnation {
  readonly #options: IncarnationOptions;
  #changedAtMs = Number.NEGATIVE_INFINITY;
  #isChanging = false;
  /** Whether the next id starts at the wall clock. */
  #renewsClock = false;
  #duplicateId: string | undefined;
  #republishedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: IncarnationOptions) {
    this.#options = options;
  }

  /**
   * Takes another id as soon as all counts are published under this one, unless the last change was
   * a moment ago.
   *
   * @param renewsClock whether the new id starts at the wall clock
   */
  change(renewsClock = false): void {
    const now = this.#options.clock.now();
    if (this.#isChanging || now < this.#changedAtMs + CHANGE_AGAIN_MS) return;
    this.#isChanging = true;
    this.#renewsClock = renewsClock;
    this.#options.publisher.finish((isAll) => this.#take(isAll));
  }

  /**
   * The other process with this id has taken a new one. Receivers now assign all held permits to
   * that process, so this one publishes its own again. The frame number skips ahead, so they ask
   * for it.
   */
  duplicateRenamed({ id }: Member): void {
    const now = this.#options.clock.now();
    if (id === this.#duplicateId || now < this.#republishedAtMs + REPUBLISH_AGAIN_MS) return;
    this.#duplicateId = id;
    this.#republishedAtMs = now;
    this.#options.publisher.republishHeld();
  }

  #take(isAllPublished: boolean): void {
    const { replicas, members, clock, replicatedLimiters, sender, publisher, random, report } =
      this.#options;
    const now = clock.now();
    this.#isChanging = false;
    this.#changedAtMs = now;
    const former = replicas.selfId;
    // An id that other replicas know would make them take new counts for old ones.
    const id = successorOf(former, random, (other) => members.find(other) !== undefined);
    const replica = replicas.renameSelf(id);
    replicas.setOffset(replica, -clock.originMs);
    // What was not published is known here, and is reported as the count of a dead replica.
    const upTo = isAllPublished ? sender.counted : publisher.nextFrame;
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
    sender.announce("hello");
  }
}
