import { joinCluster } from "@tidegate/core";
import { natsTransport } from "@tidegate/nats-transport";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a cluster whose connection does not come", () => {
  it.each([
    ["a promise", () => new Promise<never>(() => {})],
    ["a function", () => () => new Promise<never>(() => {})],
  ])(
    "reports of %s that never settles that it is awaited, for as long as it is",
    async (_, made) => {
      const transport = natsTransport({ connection: made() });
      const cluster = joinCluster({ transport, namespace: "shop" });
      await vi.advanceTimersByTimeAsync(9_000);
      const before = cluster.status().troubles;
      await vi.advanceTimersByTimeAsync(2_000);
      const still = "there is still no NATS connection after";
      expect(cluster.status()).toMatchObject({
        troubles: before + 1,
        lastTrouble: `${still} 10 s`,
      });
      await vi.advanceTimersByTimeAsync(3_600_000 - 11_000);
      // After 30, 70, 150, 310 s, and then every five minutes.
      expect(cluster.status()).toMatchObject({
        troubles: before + 15,
        lastTrouble: `${still} 3310 s`,
        isConnected: false,
      });
      const left = cluster.leave();
      await vi.advanceTimersByTimeAsync(2_000);
      await left;
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  const refused = { code: "ECONNREFUSED", address: "::1", port: 4222 };
  it.each([
    ["nats", { message: "CONNECTION_REFUSED", code: "CONNECTION_REFUSED", chainedError: refused }],
    ["@nats-io/transport-node", { message: "connection refused", cause: refused }],
    ["the latter, of several", { message: "connection refused", cause: { errors: [refused] } }],
  ])("reports which server has refused it, with the error of %s", async (_, error) => {
    const transport = natsTransport({ connection: () => Promise.reject(error) });
    const cluster = joinCluster({ transport, namespace: "shop" });
    await vi.advanceTimersByTimeAsync(10);
    expect(cluster.status().lastTrouble).toBe(
      `there is no NATS connection (${error.message} at [::1]:4222): the transport calls the function 'connection' again`,
    );
    await Promise.all([cluster.leave(), vi.advanceTimersByTimeAsync(5_000)]);
  });

  it("does not report twice which server that is", async () => {
    const message = "connect ECONNREFUSED 127.0.0.1:9";
    const cause = { address: "127.0.0.1", port: 9 };
    const transport = natsTransport({ connection: () => Promise.reject({ message, cause }) });
    const cluster = joinCluster({ transport, namespace: "shop" });
    await vi.advanceTimersByTimeAsync(10);
    expect(cluster.status().lastTrouble).toContain(`(${message}): `);
    await Promise.all([cluster.leave(), vi.advanceTimersByTimeAsync(5_000)]);
  });

  it("reports that a promise was rejected, also one that rejected before a cluster joined", async () => {
    vi.useRealTimers();
    const transport = natsTransport({ connection: Promise.reject(new Error("refused")) });
    // The test run fails if a rejection is unhandled for a turn.
    await new Promise((resolve) => setImmediate(resolve));
    const cluster = joinCluster({ transport, namespace: "shop" });
    await vi.waitUntil(() => cluster.status().lastTrouble?.includes("(refused)"));
    await cluster.leave();
  });
});
