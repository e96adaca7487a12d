/**
 * A kind of history: which policies count, what may go wrong, and what must hold in the end. From a
 * seed it becomes the faults of one history.
 *
 * The faults of a history are a swarm: each that a scenario allows is there in a part of its
 * histories and absent in the others. So every pair of faults is met without all others, too.
 */

import type { Policy } from "@tidegate/core";
import type { Truth } from "./truth.ts";

export interface Scenario {
  readonly policies: readonly Policy[];
  /** What is true, from what happens and what time it is; of windows that last when absent. */
  readonly truth?: (now: () => number) => Truth;
  /** How many actions there are. */
  readonly actions: number;
  /**
   * What all replicas see when everything is healed: exactly what is true, the same and not too
   * much, or anything that is not too much.
   */
  readonly promise: "exact" | "agreement" | "bound";
  /** How long counts take to end after the last action, if the end is looked at without them. */
  readonly endsAfterMs?: number;
  /** Whether some replicas crash or leave, and others join. */
  readonly crashes?: boolean;
  /** Whether some close their limiter now and then, and create it again. */
  readonly remakes?: boolean;
  readonly resets?: boolean;
  readonly refunds?: boolean;
  /** Whether permits are held and released, rather than hits counted. */
  readonly releases?: boolean;
  /** Whether all frames arrive, in time or late. */
  readonly lossless?: boolean;
  /** So few that keys are evicted. */
  readonly maxKeys?: number;
  /** How wrong clocks are at most. */
  readonly clockMs?: number;
  /** Whether the faults above are there in a part of the histories, like all others. */
  readonly isSwarm?: boolean;
}

/** What goes wrong in one history. Shares are from 0 to 1, and what is absent does not happen. */
export interface Faults {
  readonly loss: number;
  readonly duplicate: number;
  readonly delayMs: number;
  /** Whether some frames travel for much longer than others, and so overtake each other. */
  readonly hasTail: boolean;
  readonly cuts: boolean;
  readonly disconnects: boolean;
  /** The part of actions before which a transport becomes busy or free. */
  readonly busy: number;
  readonly joins: boolean;
  readonly crashes: boolean;
  readonly leaves: boolean;
  readonly remakes: boolean;
  readonly resets: boolean;
  readonly refunds: boolean;
  /** How far clocks are off at most, and what they gain in a millisecond at most. */
  readonly clockMs: number;
  readonly drift: number;
  readonly clockJumps: boolean;
  readonly wallSets: boolean;
  readonly suspends: boolean;
  readonly maxKeys: number | undefined;
  readonly maxPayload: number | undefined;
  /** The part of turns whose work is cut, and how long the rest of it waits at most. */
  readonly cutTurns: number;
  readonly pauseMs: number;
  /** What a slice of work takes. */
  readonly sliceMs: number;
}

/** The network's longest usual delay; frames take up to half as long again. */
export const DELAY_MS_MAX = 60;
/** How long a frame takes at most that travels for long. */
export const TAIL_MS_MAX = 1_000;
/** How much later the second of two equal frames arrives at most. */
export const LATE_MS_MAX = 3_000;
const LOSS_MAX = 0.5;
const DUPLICATE_MAX = 0.35;
const BUSY_MAX = 0.1;
/** What a clock that is wrong gains or loses in a millisecond at most: ten times what is usual. */
const DRIFT_MAX = 0.001;
/** The smallest frames that a transport may ask for in a history. */
const SMALL_PAYLOAD = 512;
const CUT_MAX = 0.6;
const PAUSE_MS_MAX = 15;
const SLICE_MS_MAX = 2;

/** The faults of one history of a scenario. */
export function drawFaults(scenario: Scenario, random: () => number): Faults {
  // Each draw is made whether or not it is used: a fault changes nothing in the others.
  const coin = (part = 0.5): boolean => random() < part;
  const upTo = (most: number): number => random() * most * (coin() ? 1 : 0);
  const { lossless = false, isSwarm = false, clockMs = 0 } = scenario;
  const network = !lossless;
  const has = (fault: boolean | undefined): boolean =>
    coin() ? fault === true : fault === true && !isSwarm;
  const clocks = has(clockMs > 0);
  const crashes = has(scenario.crashes);
  const hasFewKeys = has(scenario.maxKeys !== undefined);
  const often = (share: number): number => (network ? share : 0);
  return {
    loss: often(upTo(LOSS_MAX)),
    duplicate: upTo(DUPLICATE_MAX),
    delayMs: random() * DELAY_MS_MAX,
    hasTail: coin(0.25) && network,
    cuts: coin() && network,
    disconnects: coin(0.3) && network,
    // A busy transport is like a partition to policies that fold what is old.
    busy: often(upTo(BUSY_MAX)),
    joins: coin(0.7),
    crashes,
    leaves: coin() && crashes,
    remakes: has(scenario.remakes),
    resets: has(scenario.resets),
    refunds: has(scenario.refunds),
    clockMs: clocks ? clockMs : 0,
    drift: coin() && clocks ? DRIFT_MAX : 0,
    clockJumps: coin(0.3) && clocks,
    wallSets: coin(0.3) && clocks,
    suspends: coin() && clocks,
    maxKeys: hasFewKeys ? scenario.maxKeys : undefined,
    maxPayload: coin(0.3) ? SMALL_PAYLOAD : undefined,
    cutTurns: upTo(CUT_MAX),
    pauseMs: upTo(PAUSE_MS_MAX),
    sliceMs: upTo(SLICE_MS_MAX),
  };
}

/** Whether no replica has a reason to take another for silent. */
export function isFaultless({ lossless, crashes, clockMs }: Scenario): boolean {
  return lossless === true && crashes !== true && clockMs === undefined;
}

/** How long a frame travels, from a source of random numbers. */
export function latencyOf({ delayMs, hasTail }: Faults): (random: () => number) => number {
  return (random) => {
    const usualMs = delayMs * (1 + random() / 2);
    return hasTail && random() < 0.1 ? usualMs + random() * TAIL_MS_MAX : usualMs;
  };
}
