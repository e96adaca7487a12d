/**
 * The examples of several processes: one limit over all of them, however they are asked.
 */

import { setTimeout as pause } from "node:timers/promises";
import { NatsServer } from "@tidegate/testkit";
import { expect, it } from "vitest";
import { expectOneLimit, inTurn } from "./one-limit.ts";
import { RunningExample } from "./running-example.ts";

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
