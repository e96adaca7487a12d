/**
 * How long the event loop is held up at most by what has to look at all keys: telling of all of them
 * at once, answering who has missed something, freeing those that are over, and closing with all of them.
 */

import {
  type Cluster,
  createLimiter,
  fixedWindow,
  joinCluster,
  type Limiter,
} from "@tidegate/core";
import { type MemoryNetwork, memoryNetwork } from "@tidegate/core/testing";
import type { Transport } from "@tidegate/core/transport";
import { type LongestTurn, LoopTurns } from "../../sync/loop-turns.ts";
import { pause } from "../../sync/replica.ts";

export interface LongWorkScenario {
  readonly keys: number;
}

export const LONG_WORKS = [
  "nothing",
  "telling of all keys at once",
  "searching all keys for counts that a replica missed",
  "hearing of all keys, and telling who comes of them",
  "freeing keys that are over",
  "closing with all keys",
] as const;
export type LongWork = (typeof LONG_WORKS)[number];

export interface LongWorkRecord {
  readonly kind: "longWork";
  readonly keys: number;
  readonly work: LongWork;
  readonly longest: LongestTurn;
  /** How long it was watched. */
  readonly seconds: number;
}

const WINDOW_MS = 40_000;
/** Far away, so that all keys wait for the moment at which they are told of. */
const FLUSH_MS = 10_000;
const AT_ONCE = 500;
const PATIENCE_MS = 15_000;

export async function measureLongWork(
  { keys }: LongWorkScenario,
  progress: (activity: string) => void,
): Promise<LongWorkRecord[]> {
  const network = memoryNetwork();
  const publisher = openParty(network);
  // It shares no limiter with the teller, and so has nothing to do with what it hears.
  const listener = openParty(network);
  await Promise.all([publisher.cluster.ready, listener.cluster.ready]);
  const policy = fixedWindow({ limit: 1_000, windowMs: WINDOW_MS });
  const common = { name: "long work", policy, maxKeys: 2 * keys };
  const limiter = createLimiter({ ...common, cluster: publisher.cluster });
  const turns = new LoopTurns();
  const records: LongWorkRecord[] = [];
  const watch = async (work: LongWork, done: () => Promise<void>): Promise<void> => {
    progress(work);
    const startMs = performance.now();
    turns.take();
    await done();
    const seconds = (performance.now() - startMs) / 1_000;
    records.push({ kind: "longWork", keys, work, longest: turns.take(), seconds });
  };

  await fill(limiter, keys);
  const filledAtMs = performance.now();
  await watch("nothing", () => pause(2_000));
  // Openings are told of at once; these hits wait.
  await fill(limiter, keys);
  await watch("telling of all keys at once", async () => {
    const before = publisher.cluster.status().frames.sentBytes;
    limiter.block("a client", 1_000);
    await pause(2_500);
    // A flush of all keys takes a few bytes for each.
    if (publisher.cluster.status().frames.sentBytes - before < 5 * keys) {
      throw new Error("not all keys were told of");
    }
  });
  await watch("searching all keys for counts that a replica missed", async () => {
    network.cut(publisher.transport, listener.transport);
    limiter.block("a client", 1_001);
    await pause(300);
    network.heal();
    const { sent } = publisher.cluster.status().frames;
    await pause(3_500);
    const [other] = listener.cluster.status().peers;
    if (other?.isBehind !== false || publisher.cluster.status().frames.sent === sent) {
      throw new Error("what was missed has not been received");
    }
  });
  const newcomer = openParty(network);
  // The same loop has the work of both sides, and no other process is needed that could hold it up.
  await watch("hearing of all keys, and telling who comes of them", async () => {
    const coming = createLimiter({ ...common, cluster: newcomer.cluster });
    const comingAtMs = performance.now();
    while (coming.status().keys < keys) {
      if (performance.now() - comingAtMs > PATIENCE_MS)
        throw new Error("not all keys were heard of");
      await pause(5);
    }
    await pause(500);
    coming.close();
  });
  await newcomer.cluster.leave();
  await pause(Math.max(0, filledAtMs + WINDOW_MS - performance.now()));
  await watch("freeing keys that are over", async () => {
    const before = limiter.status().keys;
    await pause(5_000);
    if (limiter.status().keys === before) throw new Error("no key was freed");
  });
  await fill(limiter, keys);
  await watch("closing with all keys", async () => {
    if (limiter.status().keys < keys) throw new Error("not all keys are there to be closed with");
    limiter.close();
    await pause(500);
  });
  turns.stop();
  return records;
}

async function fill(limiter: Limiter, keys: number): Promise<void> {
  for (let key = 0; key < keys; key++) {
    limiter.check(`key ${key}`);
    if (key % AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

function openParty(network: MemoryNetwork): { cluster: Cluster; transport: Transport } {
  const transport = network.transport();
  return { transport, cluster: joinCluster({ transport, flushMs: FLUSH_MS }) };
}
