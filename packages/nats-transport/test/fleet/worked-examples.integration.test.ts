/**
 * Two examples from the literature on rate limiting, worked by hand, over a real server: three
 * hosts that share four requests a second, and clients that share a hundred in a window cut into
 * slots.
 */

import { setTimeout as pause } from "node:timers/promises";
import { isWideRun, type PolicyPlan, type ReplicaProcess, type TcpProxy } from "@tidegate/testkit";
import { describe, expect } from "vitest";
import { agree, it, type Lab, SCENARIOS, until } from "./fleet-over-nats.ts";

const SECOND_MS = 1_000;
/** What has to happen within a second has not if it took longer than this. */
const SOON_MS = 800;
const ATTEMPTS_MAX = 5;

/** Three hosts with a line each. */
async function threeHosts(
  lab: Lab,
  policy: PolicyPlan,
): Promise<{ hosts: ReplicaProcess[]; lines: TcpProxy[] }> {
  const server = await lab.server();
  const lines = [await lab.lineTo(server), await lab.lineTo(server), await lab.lineTo(server)];
  const hosts = await lab.started({ url: (number) => lines[number]!.url, policy }, 3);
  return { hosts, lines };
}

/**
 * What came of something that has to happen within a second; tried again with another key if it did
 * not.
 */
async function withinASecond<Outcome>(
  happening: (key: string) => Promise<Outcome>,
): Promise<Outcome> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const startedAtMs = performance.now();
    const outcome = await happening(`client-${attempt}`);
    if (performance.now() - startedAtMs < SOON_MS) return outcome;
  }
  throw new Error(`this machine was too slow ${ATTEMPTS_MAX} times`);
}

/** Waits, for a second at most, until all see so many hits. */
async function seen(hosts: readonly ReplicaProcess[], key: string, hits: number): Promise<void> {
  const isSeen = async (): Promise<boolean> => {
    const views = await Promise.all(hosts.map((host) => host.view(key)));
    return views.every((view) => view === hits);
  };
  await until(isSeen, SECOND_MS);
}

function checked(hosts: readonly ReplicaProcess[], key: string) {
  return Promise.all(hosts.map((host) => host.check(key)));
}

describe("three hosts that allow four requests a second", SCENARIOS, () => {
  const policy = { kind: "fixedWindow", limit: 4, windowMs: SECOND_MS } as const;

  it("refuse a fifth on every host once they have received each other's", async ({ lab }) => {
    const { hosts } = await threeHosts(lab, policy);
    const [a, b, c] = hosts;
    const { first, views, fifth } = await withinASecond(async (key) => {
      const first = [await a!.check(key), await c!.check(key), ...(await checked([b!, b!], key))];
      await seen(hosts, key, 4);
      const views = await Promise.all(hosts.map((host) => host.peek(key)));
      return { first, views, fifth: await checked(hosts, key) };
    });
    expect(first.map(({ allowed }) => allowed)).toEqual([true, true, true, true]);
    expect(views.map(({ used, remaining }) => [used, remaining])).toEqual([
      [4, 0],
      [4, 0],
      [4, 0],
    ]);
    expect(fifth.map(({ allowed }) => allowed)).toEqual([false, false, false]);
  });

  it("allow a fifth if the others' have not arrived yet, and all know of it then", async ({
    lab,
  }) => {
    const { hosts, lines } = await threeHosts(lab, policy);
    const [a, b, c] = hosts;
    const { fifth, views } = await withinASecond(async (key) => {
      lines[0]!.hold("toServer", "toClient");
      await Promise.all([a!.check(key), c!.check(key), b!.check(key), b!.check(key)]);
      const fifth = await a!.check(key);
      lines[0]!.heal();
      await seen(hosts, key, 5);
      return { fifth, views: await Promise.all(hosts.map((host) => host.peek(key))) };
    });
    expect(fifth.allowed).toBe(true);
    expect(views.map(({ used, remaining, allowed }) => [used, remaining, allowed])).toEqual([
      [5, 0, false],
      [5, 0, false],
      [5, 0, false],
    ]);
  });

  it("allow twelve while none receives another, and four in the next second", async ({ lab }) => {
    const { hosts, lines } = await threeHosts(lab, policy);
    const passed = await withinASecond(async (key) => {
      for (const line of lines) line.hold("toServer", "toClient");
      const passed = await Promise.all(hosts.map((host) => host.hit(key, 10)));
      for (const line of lines) line.heal();
      await seen(hosts, key, 12);
      const views = await Promise.all(hosts.map((host) => host.view(key)));
      return { key, passed: passed.map(({ allowed }) => allowed), views };
    });
    expect(passed).toMatchObject({ passed: [4, 4, 4], views: [12, 12, 12] });
    await pause(SECOND_MS);
    const next = await hosts[1]!.hit(passed.key, 10);
    expect(next.allowed).toBe(4);
  });
});

describe("three hosts with a bucket of four that fills at four a second", SCENARIOS, () => {
  it("owe what they allowed while none received another, and pay it back before the next", async ({
    lab,
  }) => {
    const policy = { kind: "tokenBucket", capacity: 4, refillPerSecond: 4 } as const;
    const { hosts, lines } = await threeHosts(lab, policy);
    const { key, startedAtMs, passed } = await withinASecond(async (key) => {
      for (const line of lines) line.hold("toServer", "toClient");
      const startedAtMs = performance.now();
      const passed = await Promise.all(hosts.map((host) => host.hit(key, 4)));
      for (const line of lines) line.heal();
      await until(async () => (await hosts[0]!.view(key)) > 8, SECOND_MS);
      return { key, startedAtMs, passed: passed.map(({ allowed }) => allowed) };
    });
    expect(passed).toEqual([4, 4, 4]);
    const next = await Promise.all(
      hosts.map(async (host) => {
        await until(async () => (await host.peek(key)).allowed, 5 * SECOND_MS);
        return performance.now() - startedAtMs;
      }),
    );
    for (const afterMs of next) {
      // Twelve less nine have drained after two seconds and a quarter, and slots are 64 ms long.
      expect(afterMs).toBeGreaterThan(2_150);
      expect(afterMs).toBeLessThan(4_000);
    }
  });
});

describe("a hundred in a window of twelve slots, of one to five clients", SCENARIOS, () => {
  it("are all allowed within two slots, the next after the window that they are in has ended", async ({
    lab,
  }) => {
    const slotMs = isWideRun() ? 5_000 : 500;
    const policy = { kind: "slidingWindow", limit: 100, windowMs: 12 * slotMs, slots: 12 } as const;
    const clients = await lab.started({ url: (await lab.server()).url, policy }, 5);
    const crowds = clients.map((_, index) => clients.slice(0, index + 1));
    const keyOf = (crowd: readonly unknown[]): string => `shared by ${crowd.length}`;
    const passed = await Promise.all(
      crowds.map(async (crowd) => {
        const results = await Promise.all(
          crowd.map((client, index) =>
            client.hit(keyOf(crowd), shareOf(100, crowd.length, index), 2 * slotMs),
          ),
        );
        return results.reduce((sum, { allowed }) => sum + allowed, 0);
      }),
    );
    expect(passed).toEqual([100, 100, 100, 100, 100]);
    await pause(slotMs);
    for (const crowd of crowds) {
      await agree(crowd, keyOf(crowd), 100);
      const next = await checked(crowd, keyOf(crowd));
      expect(next.map(({ allowed }) => allowed)).not.toContain(true);
    }
    await pause(12 * slotMs);
    for (const crowd of crowds) {
      const next = await checked(crowd, keyOf(crowd));
      expect(next.map(({ allowed }) => allowed)).not.toContain(false);
    }
  });
});

/** Shares of a number that are whole and add up to it. */
function shareOf(total: number, among: number, index: number): number {
  return Math.floor(total / among) + (index < total % among ? 1 : 0);
}
