/**
 * What a replica does once a second: looks who is still there, agrees with them on the time, and says
 * that it is there itself.
 */

import type { Replicas } from "../../store/replicas/replicas.ts";
import type { Bequest } from "../anti-entropy/bequest.ts";
import type { Repair } from "../anti-entropy/repair.ts";
import type { ClockAgreement } from "../clock/clock-agreement.ts";
import type { ClockCheck } from "../clock/clock-check.ts";
import type { Differences } from "../limiters/differences.ts";
import type { Shares } from "../limiters/shares.ts";
import type { Sender } from "../publish/sender.ts";
import type { Teller } from "../publish/teller.ts";
import type { Freshness } from "../receive/freshness.ts";
import type { Refusals } from "../receive/refusals.ts";
import type { Arrival } from "./arrival.ts";
import { HeartbeatTimes } from "./heartbeat-times.ts";
import type { Members } from "./members.ts";
import type { Outlook } from "./outlook.ts";
import type { OwnId } from "./own-id.ts";

/** Heartbeats after which it is no coincidence that another does not know the same. */
const BEATS_APART = 4;

/** Replicas that are only named by others, until it is looked which of them are still of use. */
const STRANGERS_MAX = 1_024;
const RECLAIM_MS = 30_000;

/** What came before the cluster's time jumped ahead for less than that may have been of that time. */
const BEFORE_JUMP_MS = 5_000;
/** The least time between two questions to all: without a secret anybody can make the time jump. */
const ASK_ALL_AGAIN_MS = 30_000;

export interface PulseOptions {
  readonly beganAtMs: number;
  readonly random: () => number;
  readonly replicas: Replicas;
  readonly members: Members;
  readonly shares: Shares;
  readonly freshness: Freshness;
  readonly outlook: Outlook;
  readonly agreement: ClockAgreement;
  readonly clockCheck: ClockCheck;
  readonly ownId: OwnId;
  readonly bequest: Bequest;
  readonly arrival: Arrival;
  readonly repair: Repair;
  readonly refusals: Refusals;
  readonly differences: Differences;
  readonly sender: Sender;
  readonly teller: Pick<Teller, "heldMs" | "isTelling">;
}

export class Pulse extends HeartbeatTimes {
  readonly #options: PulseOptions;
  #reclaimAtMs = Number.NEGATIVE_INFINITY;
  /** Counts that came of times that had not been yet, and until when they may be why to ask all. */
  #ahead = 0;
  #aheadUntilMs = Number.NEGATIVE_INFINITY;
  #askAllAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: PulseOptions) {
    super(options.beganAtMs, options.random);
    this.#options = options;
  }

  beat(now: number): void {
    const { replicas, members, shares, freshness, outlook, agreement } = this.#options;
    const { bequest, arrival, repair, differences, sender, teller } = this.#options;
    const { clockCheck, ownId } = this.#options;
    this.sent(now);
    if (clockCheck.isStale(now)) ownId.change(true);
    shares.keepHouse(now, sender.counted);
    const rememberedMs = freshness.rememberedMs(shares.lifeMs);
    const isAnyForgotten = members.look(now, rememberedMs);
    const strangers = replicas.size - members.size;
    if (isAnyForgotten || (strangers > STRANGERS_MAX && now >= this.#reclaimAtMs)) {
      this.#reclaimAtMs = now + RECLAIM_MS;
      const isMember = (id: string): boolean => members.find(id) !== undefined;
      shares.reclaim(replicas, isMember, () => teller.isTelling);
    }
    outlook.look(now);
    const hasJumped = agreement.agree(now);
    if (this.#hasBeenBehind(now, hasJumped)) repair.askAnew(now);
    const sum = members.checksum();
    if (members.differ(sum, BEATS_APART)) bequest.apart(sum, now);
    repair.askTheDeaf();
    const heartbeat = {
      isReady: arrival.isOver,
      upMs: agreement.upMs(now),
      known: sum,
      ...shares.totals(),
      behind: repair.behind(now),
      heldMs: teller.heldMs(now),
    };
    sender.heartbeat(heartbeat, differences.told());
  }

  /** Whether counts were taken to be ahead of time by a replica that had stood still, and are not any more. */
  #hasBeenBehind(now: number, hasJumped: boolean): boolean {
    const { ahead = 0 } = this.#options.refusals.parts;
    if (ahead > this.#ahead) this.#aheadUntilMs = now + BEFORE_JUMP_MS;
    this.#ahead = ahead;
    if (!hasJumped || now > this.#aheadUntilMs || now < this.#askAllAtMs) return false;
    this.#askAllAtMs = now + ASK_ALL_AGAIN_MS;
    return true;
  }
}
