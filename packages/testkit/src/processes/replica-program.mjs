/**
 * One replica in a process of its own, which does what its parent says. Runs the built packages.
 *
 * Its argument is a `ReplicaPlan`, as JSON.
 */

import { subscribe } from "node:diagnostics_channel";
import { pathToFileURL } from "node:url";
import * as core from "@tidegate/core";
import { Traffic } from "./traffic.mjs";

const plan = JSON.parse(process.argv[2]);
const { makeTransport } = await import(pathToFileURL(plan.transport).href);
const { kind, ...options } = plan.policy;
const { [kind]: makePolicy } = core;

const events = [];
subscribe(core.CHANNELS.cluster, ({ message }) => events.push(message));

const transport = makeTransport(plan.line);
const cluster = core.joinCluster({ ...plan.cluster, namespace: plan.namespace, transport });
const limiter = core.createLimiter({
  name: "api",
  policy: makePolicy(options),
  cluster,
  onPartition: plan.onPartition,
});
const traffic = new Traffic(limiter);

const commands = {
  ready: () => cluster.ready,
  hit: (key, times, overMs) => traffic.burst(key, times, overMs),
  peek: (key) => plainDecision(limiter.peek(key)),
  sum: (key, count) => traffic.sum(key, count),
  check: (key) => plainDecision(limiter.check(key)),
  begin: (flows) => traffic.begin(flows),
  figures: () => traffic.figures(),
  end: () => traffic.end(),
  status: () => cluster.status(),
  events: () => events,
  leave: () => cluster.leave(),
};

function plainDecision({ allowed, used, remaining, retryAfterMs, resetMs, degraded, reason }) {
  return { allowed, used, remaining, retryAfterMs, resetMs, degraded, reason };
}

process.on("message", async ({ id, command, given }) => {
  process.send({ id, answer: await commands[command](...given) });
  if (command === "leave") process.disconnect();
});
