/**
 * One replica in a process of its own, which does what its parent says. Runs the built package.
 *
 * Arguments: the namespace, the limit, and a module with `makeTransport`.
 */

import { pathToFileURL } from "node:url";
import { createLimiter, fixedWindow, joinCluster } from "../../dist/index.js";

const [namespace, limit, transportModule] = process.argv.slice(2);
const { makeTransport } = await import(pathToFileURL(transportModule).href);

const cluster = joinCluster({ namespace, transport: makeTransport() });
const limiter = createLimiter({
  name: "api",
  policy: fixedWindow({ limit: Number(limit), windowMs: 600_000 }),
  cluster,
});

const commands = {
  ready: () => cluster.ready,

  /** Asks in bursts over some time; how many were allowed, and how long the longest took. */
  async hit(key, times, overMs) {
    let allowed = 0;
    let longestMs = 0;
    const bursts = Math.max(1, Math.floor(overMs / 10));
    for (let burst = 0; burst < bursts; burst++) {
      const end = Math.round((times * (burst + 1)) / bursts);
      for (let hit = Math.round((times * burst) / bursts); hit < end; hit++) {
        const start = performance.now();
        if (limiter.check(key).allowed) allowed++;
        longestMs = Math.max(longestMs, performance.now() - start);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return { allowed, longestMs };
  },

  view: (key) => limiter.peek(key).used,
  status: () => cluster.status(),
  leave: () => cluster.leave(),
};

process.on("message", async ({ id, command, given }) => {
  process.send({ id, answer: await commands[command](...given) });
  if (command === "leave") process.disconnect();
});
