import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Cluster, createLimiter, fixedWindow, joinCluster } from "../../../src/index.ts";
import { memoryNetwork } from "../../../src/testing.ts";
import type { Transport } from "../../../src/transport.ts";

const policy = fixedWindow({ limit: 10, windowMs: 60_000 });
const rejections: unknown[] = [];
const reject = (reason: unknown): number => rejections.push(reason);

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
  rejections.length = 0;
  process.on("unhandledRejection", reject);
});
afterEach(() => {
  process.off("unhandledRejection", reject);
  vi.useRealTimers();
});

/** A transport with some members replaced, getters too. */
function odd(members: object): Transport {
  const transport: Transport = { open: () => {}, publish: () => true, close: () => {} };
  return Object.defineProperties(transport, Object.getOwnPropertyDescriptors(members));
}

function broken(): never {
  throw new Error("broken");
}

/** Joins, counts, blocks and runs for some seconds, all of which must go well. */
async function live(transport: Transport): Promise<Cluster> {
  const cluster = joinCluster({ transport, namespace: "shop" });
  const limiter = createLimiter({ name: "api", policy, cluster });
  expect(limiter.check("ada").allowed).toBe(true);
  limiter.block("eve", 60_000);
  limiter.reset("ada");
  await vi.advanceTimersByTimeAsync(5_000);
  expect([limiter.check("ada").allowed, limiter.check("eve").allowed]).toEqual([true, false]);
  return cluster;
}

/** How long frames become if there is much to publish. */
async function longestFrame(members: object): Promise<number> {
  let longest = 0;
  const transport = odd(members);
  transport.publish = (frame) => {
    longest = Math.max(longest, frame.length);
    return true;
  };
  const cluster = await live(transport);
  const limiter = createLimiter({ name: "many", policy, cluster });
  for (let key = 0; key < 3_000; key++) limiter.check(`user ${key}`);
  await vi.advanceTimersByTimeAsync(5_000);
  await cluster.leave();
  return longest;
}

describe("a transport that throws", () => {
  it("drops frames, is reported, and ends neither a process nor the creation of a limiter", async () => {
    const cluster = await live(odd({ publish: broken }));
    const { frames, lastTrouble } = cluster.status();
    expect([frames.sent, frames.dropped > 5]).toEqual([0, true]);
    expect(lastTrouble).toBe("the transport threw where it must not: Error: broken");
    await cluster.leave();
  });

  it("on reading 'connected' counts as not connected, which is reported once", async () => {
    const transport = odd({
      get connected() {
        return broken();
      },
    });
    const cluster = await live(transport);
    expect(cluster.status()).toMatchObject({
      isConnected: false,
      degraded: true,
      // The other one says that it threw.
      troubles: 2,
      lastTrouble:
        "the transport is not connected (the transport threw where it must not: Error: broken): limiters decide as 'onPartition' says",
    });
    await Promise.all([cluster.leave(), vi.advanceTimersByTimeAsync(5_000)]);
  });

  it("on reading 'busy' counts as not busy, which is reported once", async () => {
    const transport = odd({
      get busy() {
        return broken();
      },
    });
    const cluster = await live(transport);
    expect(cluster.status()).toMatchObject({
      troubles: 1,
      lastTrouble: "the transport threw where it must not: Error: broken",
      frames: { dropped: 0 },
    });
    expect(cluster.status().frames.sent).toBeGreaterThan(2);
    await cluster.leave();
  });

  it("on opening can be tried again, and is not used before", async () => {
    const network = memoryNetwork();
    const transport = network.transport();
    const { open } = transport;
    const heard: (() => void)[] = [];
    transport.open = (receive, { changed }) => {
      heard.push(() => receive(new Uint8Array(9)), changed!);
      broken();
    };
    const publish = vi.spyOn(transport, "publish");
    expect(() => joinCluster({ transport, namespace: "shop" })).toThrow("broken");
    for (const receive of heard) receive();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(publish).not.toHaveBeenCalled();

    transport.open = open;
    const other = joinCluster({ transport: network.transport(), namespace: "shop" });
    const cluster = await live(transport);
    expect([cluster, other].map((each) => each.status().peers.length)).toEqual([1, 1]);
    expect(() => joinCluster({ transport, namespace: "shop" })).toThrow("joined a cluster before");
    await Promise.all([cluster.leave(), other.leave(), vi.advanceTimersByTimeAsync(5_000)]);
  });
});

describe("a transport that returns something else than it must", () => {
  it.each([
    ["a promise", Promise.resolve(true)],
    ["undefined", undefined],
    ["1", 1],
  ])("such as %s has sent nothing, and that is reported once", async (given, answer) => {
    const cluster = await live(odd({ publish: () => answer }));
    const { frames, troubles, lastTrouble } = cluster.status();
    expect([frames.sent, frames.dropped > 5, troubles]).toEqual([0, true, 1]);
    expect(lastTrouble).toBe(
      `'publish' of the transport must return true or false at once, got ${given}: what it sends counts as dropped`,
    );
    await cluster.leave();
  });

  it("does not end the process by promises that reject", async () => {
    const rejected = async (): Promise<void> => broken();
    const cluster = await live(odd({ open: rejected, publish: rejected }));
    await vi.advanceTimersByTimeAsync(100);
    vi.useRealTimers();
    await new Promise((resolve) => setImmediate(resolve));
    expect(rejections).toEqual([]);
    expect(cluster.status().troubles).toBe(2);
    expect(cluster.status().frames.sent).toBe(0);
  });

  it.each([
    ["NaN", Number.NaN],
    ["infinite", Number.POSITIVE_INFINITY],
    ["a string", "many"],
    ["null", null],
  ])("takes frames of the usual length where 'maxPayload' is %s", async (_, maxPayload) => {
    expect(await longestFrame({ maxPayload })).toBeGreaterThan(10_000);
  });

  it("is asked for 'maxPayload' for each frame, and may throw then", async () => {
    const given = [Number.NaN, 1_000];
    const changing = {
      get maxPayload() {
        return given.shift() ?? 1_000;
      },
    };
    const throwing = {
      get maxPayload() {
        return broken();
      },
    };
    expect(await longestFrame(changing)).toBeLessThanOrEqual(1_000);
    expect(await longestFrame(throwing)).toBeGreaterThan(10_000);
  });

  it("or delivers something else than bytes is counted among the malformed", async () => {
    const receivers: ((frame: unknown) => void)[] = [];
    const open = (receive: (frame: Uint8Array) => void): void => {
      receivers.push(receive as (frame: unknown) => void);
    };
    const cluster = await live(odd({ open }));
    for (const frame of [undefined, null, "frame", new ArrayBuffer(100)]) receivers[0]!(frame);
    await vi.advanceTimersByTimeAsync(100);
    expect(cluster.status().frames.refused).toEqual({ malformed: 4 });
    expect(cluster.status().lastTrouble).toMatch(/^frames arrive that tidegate did not write/);
    await cluster.leave();
  });
});
