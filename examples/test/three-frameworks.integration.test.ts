/** What `npm start` runs: three servers of three frameworks, one limit. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { NatsServer } from "@tidegate/testkit";
import { expect, it } from "vitest";
import { RunningExample } from "./running-example.ts";

const LIMIT = 12;
const BETWEEN_MS = 100;
const START = "examples/three-frameworks/start.mjs";

async function until(isSo: () => boolean, what: () => string): Promise<void> {
  const deadline = performance.now() + 15_000;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(`not within 15 s:\n${what()}`);
    await pause(20);
  }
}

it("three-frameworks: share one limit, show it, and hold it over a crash", async ({
  onTestFinished,
}) => {
  const example = await RunningExample.start("three-frameworks", { addresses: 3 });
  onTestFinished(() => example.stop());
  const said = (): string => example.output;
  await until(() => said().includes("Ctrl+C"), said);
  const [express = "", koa = "", fastify = ""] = example.addresses;

  const texts: string[] = [];
  for (let sent = 0; sent < LIMIT; sent++) {
    const answer = await example.ask({}, [express, koa, fastify][sent % 3]);
    expect(answer.headers["ratelimit"]).toMatch(/^"demo";r=\d+;t=\d+$/);
    texts.push(answer.text);
    await pause(BETWEEN_MS);
  }
  expect(new Set(texts).size).toBe(3);
  // The last replica to receive a hit may let one more pass.
  await example.ask({}, koa);
  await pause(BETWEEN_MS);
  for (const address of [express, koa, fastify]) {
    const { status, headers } = await example.ask({}, address);
    expect(status).toBe(429);
    expect(Number(headers["retry-after"])).toBeGreaterThan(30);
  }
  await until(() => /^together +1[2-4] +[34]$/m.test(said()), said);
  expect(said()).toMatch(/^1[2-4] of 12, resets in [3-6]\d s$/m);

  const [, pid] = /kill -9 (\d+)/.exec(said()) ?? [];
  process.kill(Number(pid), "SIGKILL");
  expect((await example.ask({}, express)).status).toBe(429);
  // It is started again by itself, and has received what was counted before.
  await until(() => said().includes("Koa was killed; started again as "), said);
  const [, next = ""] = /Koa was killed; started again as (\d+)/.exec(said()) ?? [];
  expect(next).not.toBe(pid);
  await until(() => new RegExp(`^Koa +${next} `, "m").test(said()), said);
  await pause(1_000);
  expect((await example.ask({}, koa)).status).toBe(429);
  expect(said()).not.toMatch(/receives [3-9] of|of [3-9] others/);
});

it("three-frameworks: share one limit over a nats-server, too", async ({ onTestFinished }) => {
  const server = await NatsServer.start();
  onTestFinished(() => server.stop());
  const env = { NATS_URL: server.url };
  const example = await RunningExample.start("three-frameworks", { addresses: 3, env });
  onTestFinished(() => example.stop());
  await until(
    () => example.output.includes("Ctrl+C"),
    () => example.output,
  );
  for (let sent = 0; sent < LIMIT; sent++) {
    expect((await example.ask({}, example.addresses[sent % 3])).status).toBe(200);
    await pause(BETWEEN_MS);
  }
  await pause(BETWEEN_MS);
  for (const address of example.addresses) {
    expect((await example.ask({}, address)).status).toBe(429);
  }
});

it("three-frameworks: ends with the process that started it", async ({ onTestFinished }) => {
  const env = { ...process.env, PORT: "0" };
  const stdio = ["ignore", "pipe", "ignore", "ipc"] as const;
  const child = spawn(process.execPath, [START], { env, stdio: [...stdio] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stdout?.on("data", (bytes) => {
    said += String(bytes);
  });
  await until(
    () => said.includes("Ctrl+C"),
    () => said,
  );
  child.disconnect();
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
  await noneAnswers(said);
});

it("three-frameworks: npm start ends where only the shell of npm is ended", async ({
  onTestFinished,
}) => {
  const script = `import("./scripts/start.mjs").then(({ start }) => start([]))`;
  // What follows keeps the shell from becoming the program, which some do for the last command.
  const shell = spawn("sh", ["-c", `"${process.execPath}" -e '${script}'; true`], {
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  const group = -Number(shell.pid);
  let isOver = false;
  onTestFinished(() => void (isOver || process.kill(group, "SIGKILL")));
  let said = "";
  shell.stdout.on("data", (bytes) => {
    said += String(bytes);
  });
  await until(
    () => said.includes("Ctrl+C"),
    () => said,
  );
  shell.kill("SIGTERM");
  // Whoever still ran would keep it open.
  await once(shell.stdout, "close");
  isOver = true;
  await noneAnswers(said);
});

/** Waits until nobody listens where it was said that the servers are. */
async function noneAnswers(said: string): Promise<void> {
  const addresses = new Set(said.match(/http:\/\/127\.0\.0\.1:\d+/g));
  expect(addresses.size).toBe(3);
  for (const address of addresses) {
    for (let tries = 0; ; tries++) {
      const isThere = await fetch(address).then(
        () => true,
        () => false,
      );
      if (!isThere) break;
      expect(tries).toBeLessThan(100);
      await pause(50);
    }
  }
}

it("three-frameworks: says what to do where a port is taken", async ({ onTestFinished }) => {
  const taken = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void taken.close());
  await once(taken, "listening");
  const { port } = taken.address() as { port: number };
  const env = { ...process.env, PORT: String(Math.min(port, 65_533)) };
  const child = spawn(process.execPath, [START], { env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stderr.on("data", (bytes) => {
    said += String(bytes);
  });
  const [code] = await once(child, "exit");
  expect(code).toBe(1);
  expect(said).toContain(`Port ${port} is in use, so Express could not start.`);
  expect(said).toContain("PORT=4001 npm start");
});
