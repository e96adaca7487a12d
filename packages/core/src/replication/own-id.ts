/**
 * Gives up the id of this replica when another process counts under it, such as another copy of the
 * same snapshot of a running process: of two that raise one count, others would only see the larger.
 *
 * Whoever is behind goes on under another id. What it has told under the former one stays told, and
 * counts as another's from then on, here as everywhere.
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
}

export class OwnId {
  readonly #options: OwnIdOptions;
  #changedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: OwnIdOptions) {
    this.#options = options;
  }

  /** Takes another id; false if that was only just done. */
  change(now: number): boolean {
    if (now < this.#changedAtMs + CHANGE_AGAIN_MS) return false;
    this.#changedAtMs = now;
    const { replicas, members, clock, shares, sender, teller, random, report } = this.#options;
    teller.finish();
    const former = replicas.selfId;
    const id = successorOf(former, random);
    const replica = replicas.renameSelf(id);
    replicas.setOffset(replica, -clock.originMs);
    members.mention(former, now, now, -clock.originMs)?.frames.cover(0, sender.counted);
    shares.disown({ replica, originMs: clock.originMs });
    report(`another process counts as replica ${former}: this one goes on as ${id}`);
    return true;
  }
}
