import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Cluster, type ClusterOptions, joinCluster } from "../../src/cluster/cluster.ts";
import { createLimiter } from "../../src/limiter/limiter.ts";
import type { LimiterOptions } from "../../src/limiter/limiter-options.ts";
import { slidingWindow } from "../../src/policies/sliding-window.ts";
import { type MemoryNetwork, memoryNetwork } from "../../src/transport/memory-network.ts";
import type { Transport } from "../../src/transport/transport.ts";
import { hit, type Joined, join, pass, policy } from "./joined.ts";

let network: MemoryNetwork;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
  network = memoryNetwork();
});

afterEach(() => {
  vi.useRealTimers();
});

function member(
  clusterOptions: Partial<ClusterOptions> = {},
  limiterOptions: Partial<LimiterOptions> = {},
): Joined {
  return join(network, clusterOptions, limiterOptions);
}

describe("joinCluster", () => {
  it.each(["a\ud800", "\udc00b", "\udc00\ud800"])(
    "refuses a name of which others would be the same once they are sent: %j",
    (name) => {
      const sentence = `must be well-formed Unicode, as single halves of surrogate pairs are all sent as one character, got ${JSON.stringify(name)}`;
      const transport = memoryNetwork().transport();
      expect(() => joinCluster({ transport, namespace: name })).toThrow(`'namespace' ${sentence}`);
      expect(() => createLimiter({ name, policy })).toThrow(`'name' ${sentence}`);
      joinCluster({ transport, namespace: "🙂 é 日本" });
      createLimiter({ name: "🙂 é 日本", policy });
    },
  );

  it("makes limiters of one name count together, and keeps other names and namespaces apart", () => {
    const one = member();
    const two = member();
    const apart = member({ namespace: "other" });
    vi.advanceTimersByTime(1_000);
    const other = createLimiter({ name: "other", policy, cluster: one.cluster });
    hit(one, 60);
    vi.advanceTimersByTime(500);
    expect(pass(two)).toBe(40);
    expect(pass(apart)).toBe(100);
    expect(other.check("ada").remaining).toBe(99);
  });

  it("refuses frames of processes that do not have the secret", () => {
    const one = member({ secret: "a".repeat(16) });
    const two = member({ secret: "b".repeat(16) });
    const three = member();
    vi.advanceTimersByTime(1_000);
    hit(one, 60);
    vi.advanceTimersByTime(2_000);
    expect([pass(two), pass(three)]).toEqual([100, 100]);
    expect(two.cluster.status().frames.refused["foreign"]).toBeGreaterThan(0);
    expect(two.cluster.status().peers).toEqual([]);
  });

  it("is ready when the counts of the others are merged, and when there is no other process", async () => {
    const one = member();
    expect(one.cluster.status().isReady).toBe(false);
    await vi.advanceTimersByTimeAsync(600);
    await one.cluster.ready;
    hit(one, 30);
    const two = member();
    await vi.advanceTimersByTimeAsync(600);
    await two.cluster.ready;
    expect(two.limiter.peek("ada").used).toBe(30);
  });

  it("lets a limiter that is created late know what was counted before", () => {
    const one = member();
    const cluster = joinCluster({ transport: network.transport(), namespace: "shop" });
    vi.advanceTimersByTime(1_000);
    hit(one, 30);
    vi.advanceTimersByTime(5_000);
    const late = createLimiter({ name: "api", policy, cluster });
    vi.advanceTimersByTime(500);
    expect(late.peek("ada").used).toBe(30);
  });

  it("publishes the rest when it leaves, and its counts still count for all that join", async () => {
    const one = member();
    const two = member();
    vi.advanceTimersByTime(1_000);
    hit(one, 30);
    await Promise.all([one.cluster.leave(), vi.advanceTimersByTimeAsync(100)]);
    expect(two.limiter.peek("ada").used).toBe(30);
    const three = member();
    vi.advanceTimersByTime(1_000);
    expect(three.limiter.peek("ada").used).toBe(30);
    expect(one.limiter.status().keys).toBe(0);
    expect(two.cluster.status().peers.filter(({ isAlive }) => isAlive).length).toBe(1);
  });

  it("publishes resets and blocks to all, also to those that were partitioned", () => {
    const one = member();
    const two = member();
    vi.advanceTimersByTime(1_000);
    hit(one, 30);
    vi.advanceTimersByTime(500);
    network.cut(one.transport, two.transport);
    one.limiter.reset("ada");
    one.limiter.block("bob", 60_000);
    vi.advanceTimersByTime(2_000);
    expect([two.limiter.peek("ada").used, two.limiter.peek("bob").allowed]).toEqual([30, true]);
    network.heal();
    vi.advanceTimersByTime(3_000);
    expect([two.limiter.peek("ada").used, two.limiter.peek("bob").allowed]).toEqual([0, false]);
    two.limiter.unblock("bob");
    two.limiter.resetAll();
    vi.advanceTimersByTime(1_000);
    expect([one.limiter.peek("ada").used, one.limiter.peek("bob").allowed]).toEqual([0, true]);
  });

  it("throws for invalid options, where they are given", () => {
    const transport = network.transport();
    const cluster = joinCluster({ transport, namespace: "shop" });
    expect(() => joinCluster({ transport })).toThrow(/joined a cluster before/);
    expect(() => joinCluster({} as ClusterOptions)).toThrow(/transport/);
    expect(() => joinCluster({ transport: {} as Transport })).toThrow(/ipcTransport/);
    const next = (): Transport => network.transport();
    const far = Object.assign(next(), { needsNamespace: true });
    expect(() => joinCluster({ transport: far })).toThrow(/needs 'namespace'/);
    expect(() => joinCluster({ transport: next(), onCold: "opne" as "open" })).toThrow(/'open'/);
    expect(() => createLimiter({ name: "a", policy, cluster: {} as Cluster })).toThrow(
      /joinCluster/,
    );
    expect(() => createLimiter({ name: "a", policy, onPartition: "open" })).toThrow(/cluster/);
    expect(() => createLimiter({ name: "a", policy, cluster, clock: { now: () => 0 } })).toThrow(
      /clock/,
    );
    createLimiter({ name: "a", policy, cluster });
    const wider = slidingWindow({ limit: 1, windowMs: 1_000 });
    expect(() => createLimiter({ name: "a", policy: wider, cluster })).toThrow(/named "a"/);
  });

  it("refuses a secret of less than 16 bytes, and does not repeat it", () => {
    const joining = (secret: unknown) => () =>
      joinCluster({ transport: network.transport(), secret: secret as string });
    const expected = "'secret' must be a string or bytes, at least 16 bytes long, got";
    expect(joining("")).toThrow(`${expected} 0 bytes`);
    expect(joining("fifteen letters")).toThrow(`${expected} 15 bytes`);
    expect(joining(new Uint8Array(15))).toThrow(`${expected} 15 bytes`);
    expect(joining(1_234_567_890_123_456)).toThrow(`${expected} a value of type number`);
    expect(joining(null)).toThrow(`${expected} a value of type object`);
    for (const secret of ["sixteen letters.", "ä".repeat(8), new Uint8Array(16)]) {
      expect(joining(secret)).not.toThrow();
    }
  });
});

describe("a replica that is partitioned", () => {
  /** Two that have used 40 of 100 together, and receive nothing of each other any more. */
  function cutOff(limiterOptions: Partial<LimiterOptions>): [Joined, Joined] {
    const one = member({}, limiterOptions);
    const two = member({}, limiterOptions);
    vi.advanceTimersByTime(1_000);
    hit(one, 30);
    hit(two, 10);
    vi.advanceTimersByTime(1_000);
    network.cut(one.transport, two.transport);
    network.cut(two.transport, one.transport);
    vi.advanceTimersByTime(6_000);
    return [one, two];
  }

  it("goes on with all of the limit by default, and says that it is degraded", () => {
    const [one, two] = cutOff({});
    expect(one.limiter.peek("ada").degraded).toBe(true);
    expect([pass(one), pass(two)]).toEqual([60, 60]);
    expect(one.cluster.status().degraded).toBe(true);
  });

  it("takes its share of the rest with 'share', so that no more than the limit is allowed", () => {
    const [one, two] = cutOff({ onPartition: "share" });
    expect([pass(one), pass(two)]).toEqual([30, 30]);
    expect(one.limiter.check("ada")).toMatchObject({
      allowed: false,
      reason: "partition",
      remaining: 0,
      retryAfterMs: 1_000,
    });
    // A key that no replica has counted before.
    expect([pass(one, "new"), pass(two, "new")]).toEqual([50, 50]);
  });

  it("adds its share to the whole limit of three others, which take it for crashed", () => {
    const [one, ...three] = [1, 2, 3, 4].map(() => member({}, { onPartition: "share" }));
    vi.advanceTimersByTime(2_000);
    for (const { transport } of three) {
      network.cut(one!.transport, transport);
      network.cut(transport, one!.transport);
    }
    vi.advanceTimersByTime(6_000);
    expect([pass(one!), pass(three[0]!)]).toEqual([25, 100]);
  });

  it("allows nothing with 'closed', and everything again when frames of the others arrive", () => {
    const [one] = cutOff({ onPartition: "closed" });
    expect(pass(one)).toBe(0);
    network.heal();
    vi.advanceTimersByTime(3_000);
    expect(one.limiter.peek("ada").degraded).toBe(false);
    expect(pass(one)).toBe(60);
  });

  it("reports the begin and the end of the partition", () => {
    const messages: string[] = [];
    const take = (event: unknown): void => {
      messages.push((event as { message: string }).message);
    };
    subscribe("tidegate:cluster", take);
    cutOff({});
    network.heal();
    vi.advanceTimersByTime(3_000);
    unsubscribe("tidegate:cluster", take);
    expect(
      messages.filter((message) => message.includes("is partitioned from 1 other")),
    ).toHaveLength(2);
    expect(messages.filter((message) => message.includes("arrive again"))).toHaveLength(2);
  });

  it("is not one whose others leave, or one of three of which one crashes", async () => {
    const [one, two, three, four] = [member(), member(), member(), member()];
    vi.advanceTimersByTime(2_000);
    await Promise.all([
      two.cluster.leave(),
      three.cluster.leave(),
      vi.advanceTimersByTimeAsync(50),
    ]);
    vi.advanceTimersByTime(10_000);
    expect(one.cluster.status().degraded).toBe(false);
    const [five, six] = [member(), member()];
    vi.advanceTimersByTime(2_000);
    for (const other of [one, four, five]) network.cut(six.transport, other.transport);
    vi.advanceTimersByTime(10_000);
    expect([one, four, five].map(({ cluster }) => cluster.status().degraded)).toEqual([
      false,
      false,
      false,
    ]);
  });

  it("is also one that receives all others, when they do not receive it", () => {
    const [one, two, three] = [member(), member(), member({}, { onPartition: "share" })];
    vi.advanceTimersByTime(2_000);
    for (const other of [one, two]) network.cut(three.transport, other.transport);
    vi.advanceTimersByTime(10_000);
    expect(three.cluster.status()).toMatchObject({
      degraded: true,
      peers: [{ isAlive: true }, { isAlive: true }],
    });
    expect(pass(three)).toBe(33);
    network.heal();
    vi.advanceTimersByTime(3_000);
    expect(three.cluster.status().degraded).toBe(false);
  });

  it("is not one whose frames a third replica relays", () => {
    const [one, two, three] = [member(), member(), member()];
    vi.advanceTimersByTime(2_000);
    network.cut(three.transport, one.transport);
    for (let second = 0; second < 20; second++) {
      hit(three, 1);
      vi.advanceTimersByTime(1_000);
    }
    for (const { cluster } of [one, two, three]) expect(cluster.status().degraded).toBe(false);
  });
});

describe("a replica that has just joined", () => {
  it("takes its share until it has merged the counts of the others, for half a second at most", () => {
    const one = member();
    vi.advanceTimersByTime(1_000);
    hit(one, 20);
    vi.advanceTimersByTime(500);
    const two = member();
    vi.advanceTimersByTime(50);
    expect(two.limiter.peek("new").remaining).toBe(50);
    expect(two.limiter.peek("new").degraded).toBe(false);
    vi.advanceTimersByTime(500);
    expect(two.limiter.peek("new").remaining).toBe(100);
    expect(two.limiter.peek("ada").remaining).toBe(80);
  });

  it("has all of the limit while it knows no other replica, or with 'open'", () => {
    expect(pass(member())).toBe(100);
    vi.advanceTimersByTime(1_000);
    const open = member({ onCold: "open" });
    const closed = member({ onCold: "closed" });
    vi.advanceTimersByTime(50);
    expect([pass(open, "new"), pass(closed, "new")]).toEqual([100, 0]);
  });
});
