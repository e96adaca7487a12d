/**
 * Servers that are killed and started again, while clients ask: no process is left that takes the dead and
 * those in their place for as many, and refuses everything for not hearing them all.
 */

import { expect, it, onTestFinished } from "vitest";
import { degraded, HttpFleet } from "./http-fleet.ts";
import { Visitor } from "./visitor.ts";

const LIMIT = 500;
/** Between two requests, in which processes receive each other's counts. */
const BETWEEN_MS = 25;
/** How many are left when that begins to matter. */
const LAST = 20;
/** In which a process must have noticed that as many others are there as before. */
const NOTICED = { timeout: 10_000, interval: 250 };
/** What a process has counted and not told, on a machine on which it has to wait for its turn as well. */
const UNTOLD_MS = 500;
/** How many pass beyond the limit because news takes time: what is asked meanwhile. */
const STALE = 10;
/** All but the first, one of them again and again. */
const KILLED: readonly number[] = [1, 2, 3, 1, 3, 3, 3];

it("servers that are killed and replaced pass all that the limit allows, and no more", async () => {
  const fleet = await HttpFleet.over({
    ...{ paths: ["/api", "/search"], limit: LIMIT, windowMs: 600_000 },
    onPartition: "closed",
  });
  onTestFinished(() => fleet.end());
  const servers = await fleet.startAll(4);
  const visitor = new Visitor("/api", servers);
  let untold = 0;

  /** Ends some servers as `kill -9` does, without a pause after what they answered last. */
  async function kill(...slots: readonly number[]): Promise<void> {
    const killed = slots.map((slot) => servers[slot]!);
    await visitor.end();
    const sinceMs = performance.now() - UNTOLD_MS;
    await Promise.all(killed.map((server) => server.kill()));
    untold += visitor.passed.filter(({ server, atMs }) => {
      return killed.includes(server) && atMs > sinceMs;
    }).length;
    visitor.asks(servers.filter((server) => !killed.includes(server)));
  }

  visitor.begin(2 * BETWEEN_MS);
  for (const slot of KILLED) {
    await kill(slot);
    visitor.begin(2 * BETWEEN_MS);
    servers[slot] = await fleet.start(slot);
    visitor.asks([...servers]);
  }
  expect(visitor.refused.map(({ text }) => text)).toEqual([]);

  // Of those that were there at the same time, three are gone: a cut. The dead of before are no part of it.
  await kill(1, 2, 3);
  const [survivor] = servers;
  await expect.poll(() => degraded([survivor!]), NOTICED).toEqual([true]);
  const alone = await survivor!.ask({ path: "/search" });
  expect(alone.status).toBe(503);
  const replaced = await Promise.all([1, 2, 3].map((slot) => fleet.start(slot)));
  servers.splice(1, replaced.length, ...replaced);
  const searches = new Visitor("/search", servers);
  const statuses = async (count: number): Promise<Set<number>> => {
    return new Set((await searches.visits(count, 0)).map(({ status }) => status));
  };
  await expect.poll(() => statuses(4), NOTICED).toEqual(new Set([200]));
  expect(await degraded(servers)).toEqual([false, false, false, false]);
  expect(await statuses(100)).toEqual(new Set([200]));

  visitor.asks(servers);
  await visitor.visits(LIMIT - visitor.passed.length - LAST, 0);
  const last = await visitor.visits(3 * LAST, BETWEEN_MS);
  expect(visitor.passedAtFirst).toBeGreaterThanOrEqual(LIMIT);
  expect(visitor.passed.length).toBeLessThanOrEqual(LIMIT + untold + STALE);
  expect(last.slice(-4).map(({ status }) => status)).toEqual([429, 429, 429, 429]);
}, 90_000);
