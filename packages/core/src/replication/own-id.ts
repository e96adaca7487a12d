/**
 * Gives up the id of this replica when another process counts under it, such as another copy of the
 * same snapshot of a running process: of two that raise one count, others would only see the larger.
 *
 * Whoever is behind tells under the former id what it has not told yet, some at a time, and goes on
 * under another. What it has told under the former one stays told, and counts as another's from then on,
 * here as everywhere.
 */

import type { Replicas } from "../store/replicas.ts";
import type { ClusterClock } from "./cluster-clock.ts";
import type { Members } from "./members.ts";
import { successorOf } from "./replica-id.ts";
import type { Sender } from "./sender.ts";
import type { Shares } from "./shares.ts";
import type { Teller } from "./teller.ts";

/** The least time between two changes: without a secret anybody can make one. */
const CHANGE_AGAIN_MS = 60_000;

export interface OwnIdOptions {
  readonly replicas: Replicas;
  readonly members: Members;
  readonly clock: ClusterClock;
  readonly shares: Shares;
  readonly sender: Sender;
  readonly teller: Teller;
  readonly random: () => number;
  readonly report: (trouble: string) => void;
  /** Is told that another id has been taken. */
  readonly changed: (now: number) => void;
}

export class OwnId {
  readonly #options: OwnIdOptions;
  #changedAtMs = Number.NEGATIVE_INFINITY;
  #isChanging = false;

  constructor(options: OwnIdOptions) {
    this.#options = options;
  }

  /** Takes another id as soon as all has been told under this one, unless that was only just done. */
  change(now: number): void {
    if (this.#isChanging || now < this.#changedAtMs + CHANGE_AGAIN_MS) return;
    this.#isChanging = true;
    this.#options.teller.finish((isAll) => this.#take(isAll));
  }

  #take(isAllTold: boolean): void {
    const { replicas, members, clock, shares, sender, teller, random, report } = this.#options;
    const now = clock.now();
    this.#isChanging = false;
    this.#changedAtMs = now;
    const former = replicas.selfId;
    const id = successorOf(former, random);
    const replica = replicas.renameSelf(id);
    replicas.setOffset(replica, -clock.originMs);
    // What has not been told is known here, and told of one that is gone.
    const upTo = isAllTold ? sender.counted : teller.nextFrame;
    members.mention(former, now, now, -clock.originMs)?.frames.cover(0, upTo);
    shares.disown({ replica, originMs: clock.originMs });
    report(`another process counts as replica ${former}: this one goes on as ${id}`);
    this.#options.changed(now);
  }
}
