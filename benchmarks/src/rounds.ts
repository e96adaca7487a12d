/**
 * Times several loops against each other in one process, fairly.
 *
 * In each round every lane runs once over the same tape, and each round starts with another lane:
 *
 *     round 0   A B C D
 *     round 1   B C D A
 *     round 2   C D A B
 *
 * so that a slow minute of the machine falls on all of them, and so does the place after a
 * neighbour that leaves the caches cold.
 *
 * Rubbish is collected outside the time: all of it before a round, the young before each lane. A
 * full collection goes on in the background after it returns, and with a gigabyte to sweep it
 * doubles every time measured meanwhile; hence the pause. It also leaves the caches empty and takes
 * pages away, hence the lead-in, which gives a lane back what a running server has anyway.
 */

import { hrtime } from "node:process";
import { setTimeout } from "node:timers/promises";
import type { Tape } from "./tape.ts";

const SWEEPING_MS = 400;

/** One loop to be timed. */
export interface Lane {
  readonly name: string;
  /** Runs over the whole tape and returns how many requests were allowed. */
  run(tape: Tape): number | Promise<number>;
  /** How many must have been allowed, where that is known. */
  expectedAllowed(tape: Tape): number | undefined;
}

/** The requests of one round: some to get going, then those that are timed. */
export interface RoundTapes {
  readonly leadIn: Tape;
  readonly tape: Tape;
}

/** Nanoseconds per request of every round, lane by lane, in the order the lanes were given. */
export async function timeRounds(
  lanes: readonly Lane[],
  rounds: number,
  tapesOf: (round: number) => RoundTapes,
): Promise<number[][]> {
  const samples = lanes.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    const tapes = tapesOf(round);
    collectGarbage();
    await setTimeout(SWEEPING_MS);
    for (let turn = 0; turn < lanes.length; turn++) {
      const lane = (round + turn) % lanes.length;
      samples[lane]!.push(await timeOnce(lanes[lane]!, tapes));
    }
  }
  return samples;
}

async function timeOnce(lane: Lane, { leadIn, tape }: RoundTapes): Promise<number> {
  collectYoungGarbage();
  await lane.run(leadIn);
  const start = hrtime.bigint();
  const outcome = lane.run(tape);
  const allowed = typeof outcome === "number" ? outcome : await outcome;
  const nanoseconds = Number(hrtime.bigint() - start);
  const expected = lane.expectedAllowed(tape);
  if (expected !== undefined && allowed !== expected) {
    throw new Error(`${lane.name} allowed ${allowed} of ${tape.length}, expected ${expected}`);
  }
  return nanoseconds / tape.length;
}

/** Collects all rubbish now. */
export function collectGarbage(): void {
  collector()();
}

function collectYoungGarbage(): void {
  collector()({ type: "minor" });
}

/** Any option but the one above would be taken for it, so all rubbish is asked for with none. */
function collector(): (options?: { type: "minor" }) => void {
  if (globalThis.gc === undefined) throw new Error("run node with --expose-gc");
  return globalThis.gc as (options?: { type: "minor" }) => void;
}
