/**
 * How many components a second one processor decodes, validates and merges, of keys that it knows.
 *
 * Two clusters in one process: what the one says is kept, and the other hears it in one go. Time stands
 * still for both, so that their clocks agree.
 */

import { cpuUsage } from "node:process";
import { createLimiter, fixedWindow, HOUR, joinCluster, type Limiter } from "@tidegate/core";
import { type ManualClock, manualClock } from "@tidegate/core/testing";
import type { Transport } from "@tidegate/core/transport";
import { collectGarbage } from "../../measure/collector.ts";
import { quantile } from "../../measure/statistics.ts";
import { pause } from "../../sync/replica.ts";

export interface MergingScenario {
  readonly keys: number;
  readonly rounds: number;
}

export interface MergingRecord {
  readonly kind: "merging";
  readonly keys: number;
  /** Components a second of one processor: the middle of all rounds, of the first, and of new keys. */
  readonly perSecond: number;
  readonly perSecondNews: number;
  readonly perSecondNewKeys: number;
  readonly bytesPerComponent: number;
}

const LIMIT = 1_000_000_000;
const COUNTS = 0;
const KIND_AT = 3;
const STEP_MS = 250;
/** Keys that show how far the receiver is; frames are merged in order, so few keys follow the last of these. */
const SAMPLES = 256;
/** More turns of the event loop than the keys after the last sample take. */
const TURNS_AFTER = 10;
const PATIENCE_MS = 60_000;

export async function measureMerging(
  { keys, rounds }: MergingScenario,
  progress: (activity: string) => void,
): Promise<MergingRecord[]> {
  const clock = manualClock(Date.now());
  const sender = replicaOf(clock, keys);
  const receiver = replicaOf(clock, keys);
  const rates: number[] = [];
  let bytes = 0;
  // The first two are of new keys, and of keys that the receiver has counted itself.
  for (let round = 0; round < rounds + 2; round++) {
    progress(`round ${round + 1}`);
    const frames = await toldAbout(sender, clock, keys);
    bytes = frames.reduce((sum, frame) => sum + frame.length, 0);
    if (round === 1) await toldAbout(receiver, clock, keys);
    await collected();
    rates.push(await merge(receiver, frames, keys, round + 1 + (round >= 1 ? 1 : 0)));
  }
  return [
    {
      kind: "merging",
      keys,
      perSecond: quantile(rates.slice(2), 0.5),
      perSecondNews: rates[1]!,
      perSecondNewKeys: rates[0]!,
      bytesPerComponent: bytes / keys,
    },
  ];
}

interface Party {
  readonly transport: Kept;
  readonly limiter: Limiter;
}

function replicaOf(clock: ManualClock, keys: number): Party {
  const transport = new Kept();
  const cluster = joinCluster({ transport, clock, readyTimeoutMs: 0 });
  const policy = fixedWindow({ limit: LIMIT, windowMs: HOUR });
  const limiter = createLimiter({ name: "merging", policy, cluster, maxKeys: 2 * keys });
  return { transport, limiter };
}

/** Counts a hit of each key; returns the frames of counts that tell of them. */
async function toldAbout(
  { transport, limiter }: Party,
  clock: ManualClock,
  keys: number,
): Promise<Uint8Array[]> {
  transport.frames = [];
  for (let key = 0; key < keys; key++) limiter.check(`key ${key}`);
  for (let before = -1; before !== transport.frames.length || before === 0; ) {
    before = transport.frames.length;
    clock.advance(STEP_MS);
    await pause(100);
  }
  return transport.frames.filter((frame) => frame[KIND_AT] === COUNTS);
}

/** Waits until all frames are merged, and each key has the hits; returns the rate by the time of the processor. */
async function merge(
  { transport, limiter }: Party,
  frames: readonly Uint8Array[],
  keys: number,
  hits: number,
): Promise<number> {
  const endMs = performance.now() + PATIENCE_MS;
  const before = cpuUsage();
  for (const frame of frames) transport.receive(frame);
  for (let sample = 1; sample <= SAMPLES; ) {
    const key = Math.floor((sample * keys) / SAMPLES) - 1;
    if (limiter.peek(`key ${key}`).used === hits) sample++;
    else if (performance.now() < endMs) await nextTurn();
    else throw new Error(`key ${key} does not get its ${hits} hits`);
  }
  for (let turn = 0; turn < TURNS_AFTER; turn++) await nextTurn();
  const { user, system } = cpuUsage(before);
  for (let key = 0; key < keys; key++) {
    const { used } = limiter.peek(`key ${key}`);
    if (used !== hits) throw new Error(`of ${hits} hits of key ${key} the receiver knows ${used}`);
  }
  return keys / ((user + system) / 1e6);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function collected(): Promise<void> {
  collectGarbage();
  await pause(300);
}

/** A transport that keeps what is said. */
class Kept implements Transport {
  frames: Uint8Array[] = [];
  receive: (frame: Uint8Array) => void = () => {};

  open(receive: (frame: Uint8Array) => void): void {
    this.receive = receive;
  }

  publish(frame: Uint8Array): boolean {
    this.frames.push(frame);
    return true;
  }

  close(): void {}
}
