/**
 * The examples of several processes: one limit over all of them, however they are asked.
 *
 * Requests have a moment between them, in which processes hear of each other's counts. So few more than
 * the limit can pass, and without a cluster it would be a multiple of it.
 */

import { setTimeout as pause } from "node:timers/promises";
import { NatsServer } from "@tidegate/testkit";
import { expect, it } from "vitest";
import type { Answer } from "./asking.ts";
import { RunningExample } from "./running-example.ts";

const BETWEEN_MS = 20;

/** Asks each address in turn, until so many requests were sent. */
async function inTurn(example: RunningExample, count: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  const { addresses } = example;
  for (let sent = 0; sent < count; sent++) {
    answers.push(await example.ask({}, addresses[sent % addresses.length]));
    await pause(BETWEEN_MS);
  }
  return answers;
}

function expectOneLimit(answers: readonly Answer[], limit: number, processes: number): void {
  const passed = answers.filter(({ status }) => status === 200);
  expect(new Set(passed.map(({ text }) => text)).size).toBe(processes);
  expect(passed.length).toBeGreaterThanOrEqual(limit);
  expect(passed.length).toBeLessThanOrEqual(limit * 1.25);
  const refused = answers.filter(({ status }) => status === 429);
  const others = answers.filter(({ status }) => status !== 200 && status !== 429);
  expect(others).toEqual([]);
  for (const { headers } of refused) expect(Number(headers["retry-after"])).toBeGreaterThan(30);
}

it("two-processes: two workers share one limit", async ({ onTestFinished }) => {
  const example = await RunningExample.start("two-processes", { addresses: 2 });
  onTestFinished(() => example.stop("SIGTERM"));
  expect(example.addresses.length).toBe(1);
  expectOneLimit(await inTurn(example, 24), 10, 2);
});

it("three-processes: three share one limit, and go on without NATS", async ({ onTestFinished }) => {
  const nats = await NatsServer.start();
  onTestFinished(() => nats.stop());
  const example = await RunningExample.start("three-processes", {
    env: { NATS_URL: nats.url },
    addresses: 3,
  });
  onTestFinished(() => example.stop("SIGTERM"));
  expect(example.addresses.length).toBe(3);
  await until(example, ({ others, isConnected }) => others === 2 && isConnected);
  expectOneLimit(await inTurn(example, 30), 12, 3);
  await nats.kill();
  await until(example, ({ isConnected, degraded }) => !isConnected && degraded);
  expect((await example.ask()).status).toBe(429);
});

interface Status {
  readonly others: number;
  readonly isConnected: boolean;
  readonly degraded: boolean;
}

/** Waits until each process says so of itself. */
async function until(example: RunningExample, is: (status: Status) => boolean): Promise<void> {
  for (const address of example.addresses) {
    for (let tries = 0; ; tries++) {
      const { text } = await example.ask({ path: "/status" }, address);
      if (is(JSON.parse(text))) break;
      if (tries > 200) throw new Error(`${address} says ${text}`);
      await pause(50);
    }
  }
}
