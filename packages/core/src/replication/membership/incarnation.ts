/**
 * Gives up the id of this replica when another process counts under it, such as another copy of the
 * same snapshot of a running process: of two that raise one count, others would only see the larger.
 * Gives it up as well when the raw clock of this replica has to be set, because a raw clock is told others
 * under one id and never goes back.
 *
 * Whoever is behind tells under the former id what it has not told yet, some at a time, and goes on
 * under another. What it has told under the former one stays told, and counts as another's from then on,
 * here as everywhere. What it holds it takes with it: that is told under the new id, with the former one.
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

/** The least time between two changes, and two tellings: without a secret anybody can make one. */
const CHANGE_AGAIN_MS = 60_000;
const TELL_AGAIN_MS = 1_000;
/** How long it is told which id this replica had before: others take that for alive for some seconds. */
const FORMER_TOLD_MS = 10_000;

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
  /** Whether the next id goes on by the wall clock. */
  #renewsClock = false;
  #successor: string | undefined;
  #toldAgainAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: IncarnationOptions) {
    this.#options = options;
  }

  /**
   * Takes another id as soon as all has been told under this one, unless that was only just done.
   *
   * @param renewsClock whether it goes on by the wall clock
   */
  change(renewsClock = false): void {
    const now = this.#options.clock.now();
    if (this.#isChanging || now < this.#changedAtMs + CHANGE_AGAIN_MS) return;
    this.#isChanging = true;
    this.#renewsClock = renewsClock;
    this.#options.publisher.finish((isAll) => this.#take(isAll));
  }

  /**
   * Another process that counted under this id has taken another. What both held is only that one's now,
   * as far as others know, so what this one holds is told again: it is ahead, and so in a later frame.
   */
  succeeded({ id }: Member): void {
    const now = this.#options.clock.now();
    if (id === this.#successor || now < this.#toldAgainAtMs + TELL_AGAIN_MS) return;
    this.#successor = id;
    this.#toldAgainAtMs = now;
    this.#options.publisher.tellHeldAgain();
  }

  #take(isAllTold: boolean): void {
    const { replicas, members, clock, replicatedLimiters, sender, publisher, random, report } =
      this.#options;
    const now = clock.now();
    this.#isChanging = false;
    this.#changedAtMs = now;
    const former = replicas.selfId;
    // What was counted under a known id is known to others: they would take what is counted now for that.
    const id = successorOf(former, random, (other) => members.find(other) !== undefined);
    const replica = replicas.renameSelf(id);
    replicas.setOffset(replica, -clock.originMs);
    // What has not been told is known here, and told of one that is gone.
    const upTo = isAllTold ? sender.counted : publisher.nextFrame;
    members.mention(former, now, now, -clock.originMs)?.frames.cover(0, upTo);
    replicatedLimiters.disown({ replica, originMs: clock.originMs });
    if (this.#renewsClock) {
      clock.renew();
      report(
        `the machine was suspended, or its clock was set: replica ${former} goes on as ${id}, by the wall clock`,
        CLUSTER_EVENTS.clockRenewed,
      );
    } else {
      report(
        `another process counts as replica ${former}: this one goes on as ${id}`,
        CLUSTER_EVENTS.idTaken,
      );
    }
    const untilMs = clock.rawNow() + FORMER_TOLD_MS;
    replicas.formers.own = { ...halvesOf(former), upTo: sender.counted, untilMs };
    // Others ask whom they have not heard of for all that it holds.
    sender.greet("hello");
  }
}
