/**
 * A server whose machine is suspended for 25 minutes: its monotonic clock stands still, and its wall clock
 * does not. With a secret, frames from so long ago are not merged, neither its own nor those it receives.
 */

import { expect, it, onTestFinished } from "vitest";
import { degraded, HttpFleet, saidBy, statusOf, told } from "./http-fleet.ts";
import { Visitor } from "./visitor.ts";

const MINUTE = 60_000;
const LIMIT = 60;
/** Between two requests, in which processes receive each other's counts. */
const BETWEEN_MS = 25;
/** How many pass beyond the limit because news takes time: what is asked meanwhile. */
const STALE = 6;
/** In which a process has to come back under a new id, and its counts to be received. */
const NOTICED = { timeout: 10_000, interval: 100 };
const AWAKE = { monotonicSkipMs: 25 * MINUTE, wallSkipMs: 25 * MINUTE };
const SUSPENDED = { monotonicSkipMs: 0, wallSkipMs: 25 * MINUTE };

it("a server that was suspended comes back under a new id, and shares the limit again", async () => {
  const fleet = await HttpFleet.over({
    ...{ paths: ["/api"], limit: LIMIT, windowMs: 10 * MINUTE },
    secret: "ours, and nobody else's",
  });
  onTestFinished(() => fleet.end());
  const servers = await fleet.startAll(3, (number) => (number === 2 ? SUSPENDED : AWAKE));
  const [one, two, suspended] = servers;
  const { replica: former } = await statusOf(suspended!);
  const visitor = new Visitor("/api", servers);
  const before = await visitor.visits(LIMIT / 2, BETWEEN_MS);
  expect(told(before.at(-1)!).remaining).toBeLessThanOrEqual(LIMIT / 2 + STALE);

  suspended!.signal("SIGSTOP");
  const isAlive = async (id: string): Promise<boolean[]> => {
    const others = await Promise.all([one!, two!].map(statusOf));
    return others.map(({ peers }) => peers.some((peer) => peer.replica === id && peer.isAlive));
  };
  await expect.poll(() => isAlive(former), NOTICED).toEqual([false, false]);
  for (const server of servers) server.signal("SIGUSR2");
  suspended!.signal("SIGCONT");

  const idOf = async (): Promise<string> => (await statusOf(suspended!)).replica;
  await expect.poll(idOf, NOTICED).not.toBe(former);
  expect(await saidBy(suspended!)).toContain("TIDEGATE_CLOCK_RENEWED");
  const id = await idOf();
  await expect.poll(() => isAlive(id), NOTICED).toEqual([true, true]);
  await expect.poll(() => degraded(servers), NOTICED).toEqual([false, false, false]);

  // The window of before is long over: all have the limit anew, and have it together.
  const visitors = new Visitor("/api", servers);
  const answers = await visitors.visits(LIMIT + 30, BETWEEN_MS);
  expect(visitors.passedAtFirst).toBeGreaterThanOrEqual(LIMIT);
  expect(visitors.passed.length).toBeLessThanOrEqual(LIMIT + STALE);
  for (const answer of answers) {
    expect(told(answer).resetSeconds).toBeLessThanOrEqual((10 * MINUTE) / 1_000);
  }
}, 90_000);
