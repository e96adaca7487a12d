/**
 * Who counted what for each key, by name: what a store within a cluster is weighed with.
 *
 * Replicas that hear of a key's window before they count for it count in that one. Those that open
 * windows within the time that news takes have a window each until then, and count in the newest
 * from then on: so begins a key that is busy everywhere. A third window of one replica would take
 * news of newer ones that comes to it in stages.
 */

import { fixedWindow, type Policy, slidingWindow } from "@tidegate/core";
import { SLIDING_SLOTS, WINDOW_MS } from "../subjects/subject.ts";
import type { Heard } from "./replica.ts";

export const TRAFFIC_NAMES = [
  "fixedWindow, one window",
  "fixedWindow, a window each",
  "fixedWindow, a window each, then the newest",
  "slidingWindow, one slot",
  "slidingWindow, every slot",
] as const;

export type TrafficName = (typeof TRAFFIC_NAMES)[number];

export interface Traffic {
  readonly policy: Policy;
  /** When this replica counts a hit of each key, before it hears of the others. */
  readonly ownMs: readonly number[];
  /** What it hears of each key, at `heardMs`. */
  readonly heard: readonly Heard[];
  readonly heardMs: number;
  /** Whether it counts once more after that. */
  readonly countsAfter: boolean;
}

const LIMIT = 1_000_000_000;
const START_MS = 1_000 * WINDOW_MS;
const SELF = 0;
const SLOT_MS = WINDOW_MS / SLIDING_SLOTS;

const TRAFFIC: Readonly<Record<TrafficName, (others: number) => Traffic>> = {
  "fixedWindow, one window": (others) =>
    windows(
      numbersTo(others).map((replica) => ({ replica, opener: SELF, period: START_MS, hits: 1 })),
      false,
    ),
  "fixedWindow, a window each": (others) => windows(windowEach(others), false),
  "fixedWindow, a window each, then the newest": (others) => {
    const newest = { opener: others, period: START_MS + others };
    const later = numbersTo(others - 1).map((replica) => ({ replica, ...newest, hits: 1 }));
    return windows([...windowEach(others), ...later], true);
  },
  "slidingWindow, one slot": (others) => slots(1, others),
  "slidingWindow, every slot": (others) => slots(SLIDING_SLOTS, others),
};

/** @param others how many other replicas counted each key */
export function trafficOf(name: TrafficName, others: number): Traffic {
  return TRAFFIC[name](others);
}

function windows(heard: readonly Heard[], countsAfter: boolean): Traffic {
  const policy = fixedWindow({ limit: LIMIT, windowMs: WINDOW_MS });
  return { policy, ownMs: [START_MS], heard, heardMs: START_MS + 1_000, countsAfter };
}

/** Windows of the others, each a little newer than the one before and this replica's the oldest. */
function windowEach(others: number): Heard[] {
  return numbersTo(others).map((replica) => ({
    replica,
    opener: replica,
    period: START_MS + replica,
    hits: 1,
  }));
}

/** Hits of all replicas in each of the first few slots. */
function slots(used: number, others: number): Traffic {
  const policy = slidingWindow({ limit: LIMIT, windowMs: WINDOW_MS, slots: SLIDING_SLOTS });
  const ownMs = numbersTo(used).map((slot) => START_MS + (slot - 1) * SLOT_MS);
  const heard = numbersTo(others).flatMap((replica) =>
    ownMs.map((ms) => ({ replica, opener: replica, period: ms / SLOT_MS, hits: 1 })),
  );
  return { policy, ownMs, heard, heardMs: ownMs.at(-1)!, countsAfter: false };
}

function numbersTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}
