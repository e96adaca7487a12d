import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { joinCluster } from "../../../src/cluster/cluster.ts";
import { createLimiter } from "../../../src/limiter/limiter.ts";
import { type MemoryNetwork, memoryNetwork } from "../../../src/transport/memory-network.ts";
import type { Transport } from "../../../src/transport/transport.ts";
import { hit, join, pass, policy } from "../joined.ts";

let network: MemoryNetwork;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
  network = memoryNetwork();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("a process that is killed", () => {
  it.each([400, 1_000, 3_000, 60_000])(
    "leaves what it counted to one that starts %d ms later",
    (laterMs) => {
      const [one, two] = [join(network, {}), join(network, {})];
      vi.advanceTimersByTime(2_000);
      hit(one, 90);
      vi.advanceTimersByTime(500);
      void one.transport.close();
      vi.advanceTimersByTime(laterMs);
      const next = join(network, {});
      vi.advanceTimersByTime(500);
      const used = laterMs < 59_000 ? 90 : 0;
      expect(next.cluster.status().isReady).toBe(true);
      expect([next, two].map(({ limiter }) => limiter.peek("ada").used)).toEqual([used, used]);
    },
  );

  it("is no partition for two others that receive each other", () => {
    const [one, two, three] = [0, 1, 2].map(() => join(network, {}, { onPartition: "closed" })) as [
      ReturnType<typeof join>,
      ReturnType<typeof join>,
      ReturnType<typeof join>,
    ];
    vi.advanceTimersByTime(2_000);
    void three.transport.close();
    vi.advanceTimersByTime(10_000);
    expect([one, two].map(({ cluster }) => cluster.status().degraded)).toEqual([false, false]);
    expect(pass(one)).toBe(100);
  });
});

describe("a transport", () => {
  /** A transport that is not connected at first, and takes nothing. */
  function away(overrides: Partial<Transport> = {}): Transport {
    const open = (): void => {};
    return { open, publish: () => false, close: () => {}, connected: false, ...overrides };
  }

  it("that is not connected from the start makes decisions degraded, as 'onPartition' says", () => {
    const cluster = joinCluster({ transport: away(), onCold: "open" });
    const limiter = createLimiter({ name: "api", policy, cluster, onPartition: "closed" });
    expect(limiter.check("ada")).toMatchObject({ allowed: true, degraded: false });
    vi.advanceTimersByTime(3_000);
    expect(limiter.check("ada")).toMatchObject({ allowed: false, degraded: true });
    expect(cluster.status()).toMatchObject({
      degraded: true,
      lastTrouble: "the transport is not connected: limiters decide as 'onPartition' says",
      frames: { sent: 0 },
    });
  });

  it("that changes hands for a moment causes no partition", () => {
    const state = { connected: true, changed: (): void => {} };
    const transport: Transport = {
      ...away(),
      open: (_, { changed }) => {
        state.changed = changed ?? state.changed;
      },
      get connected() {
        return state.connected;
      },
    };
    const cluster = joinCluster({ transport });
    vi.advanceTimersByTime(5_000);
    state.connected = false;
    state.changed();
    vi.advanceTimersByTime(200);
    expect(cluster.status().degraded).toBe(false);
    state.connected = true;
    state.changed();
    vi.advanceTimersByTime(5_000);
    expect(cluster.status()).toMatchObject({ degraded: false, troubles: 0 });
    state.connected = false;
    state.changed();
    vi.advanceTimersByTime(300);
    expect(cluster.status().degraded).toBe(true);
  });

  it("that takes too little for any frame does not keep a replica busy for ever", () => {
    const frames: number[] = [];
    const publish = (frame: Uint8Array): boolean => frames.push(frame.length) < 0;
    const transport = away({ publish, connected: true, maxPayload: 60 });
    const cluster = joinCluster({ transport, secret: "a secret of some length" });
    const limiter = createLimiter({ name: "api", policy, cluster });
    for (let key = 0; key < 1_000; key++) limiter.check(`user ${key}`);
    vi.advanceTimersByTime(2_000);
    expect(Math.max(...frames)).toBeLessThanOrEqual(512);
    expect(cluster.status().frames).toMatchObject({ sent: 0, dropped: frames.length });
  });

  it("that cannot be closed keeps no process from leaving", async () => {
    const close = (): void => {
      throw new Error("stuck");
    };
    const cluster = joinCluster({ transport: away({ close, connected: true }) });
    await cluster.leave();
    expect(cluster.status().lastTrouble).toContain("could not be closed: Error: stuck");
  });

  it("that never says it has closed is waited for until five seconds have gone by, not longer", async () => {
    const close = (): Promise<void> => new Promise(() => {});
    const cluster = joinCluster({ transport: away({ close, connected: true }) });
    let hasLeft = false;
    const leaving = cluster.leave().then(() => {
      hasLeft = true;
    });
    await vi.advanceTimersByTimeAsync(4_900);
    expect([hasLeft, cluster.status().troubles]).toEqual([false, 0]);
    await vi.advanceTimersByTimeAsync(100);
    await leaving;
    expect(cluster.status().lastTrouble).toBe(
      "the transport did not close in time: the last frames of this process may be lost",
    );
    expect(vi.getTimerCount()).toBe(0);
  });

  it("that closes in time ends the wait, and nothing is reported", async () => {
    const cluster = joinCluster({ transport: away({ connected: true }) });
    await cluster.leave();
    expect([vi.getTimerCount(), cluster.status().troubles]).toEqual([0, 0]);
  });

  it("that takes too little to the end has some time left to close", async () => {
    const close = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2_000));
    const cluster = joinCluster({ transport: away({ close, connected: true, busy: true }) });
    createLimiter({ name: "api", policy, cluster }).check("ada");
    const beganMs = Date.now();
    const leaving = cluster.leave().then(() => Date.now() - beganMs);
    await vi.advanceTimersByTimeAsync(8_000);
    expect(await leaving).toBeGreaterThan(6_900);
    expect(await leaving).toBeLessThan(7_500);
    expect(cluster.status().lastTrouble).toMatch(/^this process left before all .* were published/);
  });
});

describe("leaving", () => {
  it("resolves for every caller", async () => {
    let close = (): void => {};
    const closed = new Promise<void>((resolve) => {
      close = resolve;
    });
    const transport = { open: () => {}, publish: () => true, close: () => closed };
    const cluster = joinCluster({ transport });
    const order: string[] = [];
    const both = [cluster.leave(), cluster.leave()].map((left) =>
      left.then(() => order.push("left")),
    );
    await vi.advanceTimersByTimeAsync(100);
    order.push("closed");
    close();
    await Promise.all(both);
    expect(order).toEqual(["closed", "left", "left"]);
  });

  it("is the end: a limiter that is created later is refused", async () => {
    const { cluster } = join(network, {});
    await Promise.all([cluster.leave(), vi.advanceTimersByTimeAsync(50)]);
    expect(() => createLimiter({ name: "late", policy, cluster })).toThrow(
      /limiter "late" is created too late: this process has left the cluster/,
    );
  });
});
