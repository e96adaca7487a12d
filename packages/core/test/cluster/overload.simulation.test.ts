import { describe, expect, it } from "vitest";
import type { ClusterStatus } from "../../src/cluster/cluster-status.ts";
import { fixedWindow } from "../../src/policies/fixed-window.ts";
import { Fleet, type FleetReplica } from "./fleet.ts";
import { kindOf } from "./tapped-cluster.ts";

const WINDOW_MS = 20_000;
const REPLICAS = 4;
const KEYS = 2_000;
const TURN_MS = 10;
/** What it takes to merge a slice of a frame, which is 64 counts, where all share a machine. */
const SLICE_MS = REPLICAS;
/**
 * Hits a second of each replica that are a third of what their machine can merge, and three times
 * it.
 */
const USUAL = 350;
const BURST = 20 * USUAL;
const BURST_MS = 8_000;

/** Replicas of one machine, to which merging is work. */
class LoadedFleet extends Fleet {
  /** How often a replica has sent a request to another one. */
  requests = 0;
  #turns = 0;
  #slices = 0;
  #sinceMs = 0;

  constructor() {
    super({
      policies: [fixedWindow({ limit: 1_000_000, windowMs: WINDOW_MS })],
      delayMs: 1,
      sliceMs: SLICE_MS,
    });
    this.network.taps.add((_, frame) => {
      if (kindOf(frame) === "request") this.requests++;
      return true;
    });
    for (let replica = 0; replica < REPLICAS; replica++) this.add();
    this.pass(5_000);
  }

  get nowMs(): number {
    return this.simulated.time.nowMs;
  }

  /** The part of the time since the last call that the replicas have worked. */
  workedPart(): number {
    const slices = this.replicas.reduce((sum, { process }) => sum + process.slices, 0);
    const workedMs = ((slices - this.#slices) * SLICE_MS) / REPLICAS;
    const part = workedMs / (this.nowMs - this.#sinceMs);
    [this.#slices, this.#sinceMs] = [slices, this.nowMs];
    return part;
  }

  /** Makes every replica count so many hits a second, over all keys. */
  load(perSecond: number, forMs: number, look: () => void): void {
    const endMs = this.nowMs + forMs;
    let owed = 0;
    while (this.nowMs < endMs) {
      this.pass(TURN_MS);
      owed += (perSecond * TURN_MS) / 1_000;
      for (; owed >= 1; owed--) {
        this.#turns++;
        for (const [period, { limiter }] of this.replicas.entries()) {
          limiter.check(`key ${(this.#turns * 7 + period * 101) % KEYS}`);
        }
      }
      look();
    }
  }
}

/** How far any replica takes the clock of another to be off, all of which are right. */
function clockErrors({ replica }: FleetReplica): number[] {
  const { members, replicas, clock } = replica;
  const offsets = Array.from(members.all(), ({ index }) => replicas.offsetMs(index));
  return [clock.offsetMs, ...offsets.map((offsetMs) => offsetMs + clock.originMs)].map(Math.abs);
}

function agrees(fleet: LoadedFleet): boolean {
  for (let key = 0; key < KEYS; key++) {
    const views = fleet.replicas.map((replica) => replica.view(`key ${key}`)[0]);
    if (new Set(views).size > 1) return false;
  }
  return true;
}

/** How much later than at first any replica says that a window of a key ends. */
class Ends {
  latestMs = 0;
  readonly #firstMs: (number | undefined)[] = [];
  readonly #used: number[] = [];

  look(fleet: LoadedFleet): void {
    for (const [period, { limiter }] of fleet.replicas.entries()) {
      const { used, resetMs } = limiter.peek("key 7");
      if (used < (this.#used[period] ?? 0) || used === 0) this.#firstMs[period] = undefined;
      this.#used[period] = used;
      if (used === 0) continue;
      const endMs = fleet.nowMs + resetMs;
      this.#firstMs[period] ??= endMs;
      this.latestMs = Math.max(this.latestMs, endMs - this.#firstMs[period]);
    }
  }
}

describe("a machine that receives three times what it can merge", () => {
  it("keeps its clocks and windows right, reports its lag, and agrees within 5 s of the usual load", () => {
    const fleet = new LoadedFleet();
    const ends = new Ends();
    let clockErrorMs = 0;
    const look = (): void => {
      ends.look(fleet);
      clockErrorMs = Math.max(clockErrorMs, ...fleet.replicas.flatMap(clockErrors));
    };
    fleet.load(USUAL, 5_000, look);
    const statuses = (): ClusterStatus[] => fleet.replicas.map((replica) => replica.status());
    expect(fleet.workedPart(), "work at the usual load").toBeLessThan(0.9);
    for (const { lagMs, isOverloaded } of statuses()) {
      expect([lagMs < 1_500, isOverloaded]).toEqual([true, false]);
    }
    fleet.requests = 0;
    fleet.load(BURST, BURST_MS, look);
    expect(fleet.workedPart(), "work in the burst").toBeGreaterThan(0.95);
    for (const { isOverloaded, isConnected, degraded } of statuses()) {
      expect([isOverloaded, isConnected, degraded]).toEqual([true, true, false]);
    }
    fleet.load(USUAL, 4_000, look);
    fleet.pass(1_000);
    expect(agrees(fleet), "agreement within 5 s").toBe(true);
    // Each replica asks each other one a few times.
    expect(fleet.requests).toBeLessThanOrEqual(4 * REPLICAS * (REPLICAS - 1));
    expect(clockErrorMs).toBeLessThan(100);
    expect(ends.latestMs).toBeLessThan(WINDOW_MS / 10);
    fleet.pass(10_000);
    for (const { lagMs, isOverloaded } of statuses()) {
      expect([lagMs < 1_500, isOverloaded]).toEqual([true, false]);
    }
    for (const { troubles } of fleet.replicas) {
      expect(troubles.map((trouble) => trouble.slice(0, 30))).toEqual([
        "other processes count faster t",
        "this process merges the counts",
      ]);
    }
  });
});
