/**
 * Clients that ask for more than the servers of a fleet can tell one another: each request counts thousands
 * of hits beside itself. Clocks and windows stay right, and soon after all servers say the same.
 */

import { Agent } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { ask } from "./asking.ts";
import { HttpFleet, statusOf, told } from "./http-fleet.ts";
import type { ServerProcess } from "./server-process.ts";

const LIMIT = 1_000_000;
const WINDOW_MS = 600_000;
const CHARGES = 10_000;
const KEYS = 30_000;
/** How long all ask at least, and at most, where a machine that others keep busy takes longer to be behind. */
const BURST_MS = 5_000;
const BURST_MS_MAX = 12_000;
/** Clients of each server, which send the next request when the last has been answered. */
const CLIENTS = 4;
/** How soon all agree once the load has ended: five seconds, and more on a machine that others keep busy. */
const AGREED = { timeout: 4 * 5_000, interval: 500 };
/**
 * How far clocks that are equal may be said to be apart, and the ends of one window: less than a second, and
 * more where processes have to wait for their turn.
 */
const CLOCK_MS_MAX = 2_000;
/** Who is further behind than this says so. */
const LAG_MS_MAX = 5_000;
const LOOKS_EVERY_MS = 250;

/** The clients of one address, and what they are told of the window in which they are counted. */
class Clients {
  passed = 0;
  longestSeconds = 0;
  /** Between these moments the window ends, as answers say, which tell it in whole seconds. */
  endsNotBeforeMs = 0;
  endsNotAfterMs = Number.POSITIVE_INFINITY;
  readonly #agent: Agent;

  constructor(agent: Agent) {
    this.#agent = agent;
  }

  /** Returns how many requests are left, as the server says. */
  async visit({ address }: ServerProcess): Promise<number> {
    const sentAtMs = performance.now();
    const answer = await ask(address, { path: "/api", agent: this.#agent });
    const answeredAtMs = performance.now();
    expect(answer.status).toBe(200);
    this.passed++;
    const { remaining, resetSeconds } = told(answer);
    this.longestSeconds = Math.max(this.longestSeconds, resetSeconds);
    const notBeforeMs = sentAtMs + (resetSeconds - 1) * 1_000;
    this.endsNotBeforeMs = Math.max(this.endsNotBeforeMs, notBeforeMs);
    const notAfterMs = answeredAtMs + resetSeconds * 1_000;
    this.endsNotAfterMs = Math.min(this.endsNotAfterMs, notAfterMs);
    return remaining;
  }

  /** Has a server count much beside the request. */
  async burden({ address }: ServerProcess): Promise<void> {
    const { status } = await ask(address, { path: "/bulk-api", agent: this.#agent });
    expect(status).toBe(200);
  }

  /** Waits until each server knows of all requests that have passed. */
  async areAgreedOn(servers: readonly ServerProcess[]): Promise<void> {
    for (const server of servers) {
      const counted = async (): Promise<number> => (await this.visit(server)) + this.passed;
      await expect.poll(counted, AGREED).toBe(LIMIT);
    }
  }
}

/** What servers say of themselves while there is a burst. */
class Looks {
  clockErrorMs = 0;
  mostLagMs = 0;
  isOverloaded = false;
  readonly #beganAtMs = performance.now();

  get isBurst(): boolean {
    const tookMs = performance.now() - this.#beganAtMs;
    return tookMs < (this.isOverloaded ? BURST_MS : BURST_MS_MAX);
  }

  async at(servers: readonly ServerProcess[]): Promise<void> {
    while (this.isBurst) {
      for (const status of await Promise.all(servers.map(statusOf))) {
        const apartMs = status.peers.map(({ clockAheadMs }) => Math.abs(clockAheadMs));
        const offsetMs = Math.abs(status.clockOffsetMs);
        this.clockErrorMs = Math.max(this.clockErrorMs, offsetMs, ...apartMs);
        this.mostLagMs = Math.max(this.mostLagMs, status.lagMs);
        this.isOverloaded ||= status.isOverloaded;
      }
      await pause(LOOKS_EVERY_MS);
    }
  }
}

async function bulkOf(server: ServerProcess): Promise<{ charged: number; used: number }> {
  return JSON.parse((await server.ask({ path: "/bulk" })).text);
}

it("servers that are asked for too much keep clocks and windows right, and agree soon after", async () => {
  const fleet = await HttpFleet.over({
    ...{ paths: ["/api", "/bulk-api"], limit: LIMIT, windowMs: WINDOW_MS },
    bulk: { path: "/bulk-api", charges: CHARGES, keys: KEYS },
  });
  onTestFinished(() => fleet.end());
  const servers = await fleet.startAll(3);
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const clients = new Clients(agent);
  // One opens the window, and the others receive it.
  await clients.areAgreedOn(servers);

  const looks = new Looks();
  const load = async (server: ServerProcess): Promise<void> => {
    while (looks.isBurst) {
      await clients.burden(server);
      await clients.visit(server);
    }
  };
  const loads = servers.flatMap((server) => Array.from({ length: CLIENTS }, () => load(server)));
  await Promise.all([looks.at(servers), ...loads]);

  const charged = (await Promise.all(servers.map(bulkOf))).map((bulk) => bulk.charged);
  const counted = charged.reduce((sum, hits) => sum + hits, 0);
  const used = async (): Promise<number[]> => {
    return (await Promise.all(servers.map(bulkOf))).map((bulk) => bulk.used);
  };
  await expect.poll(used, AGREED).toEqual([counted, counted, counted]);
  await clients.areAgreedOn(servers);

  expect(looks.clockErrorMs).toBeLessThan(CLOCK_MS_MAX);
  expect(clients.endsNotBeforeMs - clients.endsNotAfterMs).toBeLessThan(CLOCK_MS_MAX);
  expect(clients.longestSeconds).toBeLessThanOrEqual((1.1 * WINDOW_MS) / 1_000);
  expect(looks.isOverloaded || looks.mostLagMs < LAG_MS_MAX).toBe(true);
}, 90_000);
