/**
 * Clients that hang up while their requests are handled, in processes of their own.
 */

import { request } from "node:http";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { RunningExample } from "./running-example.ts";
import { FRAMEWORKS, ServerProcess } from "./server-process.ts";

const SERVER = fileURLToPath(new URL("hang-up-server.mjs", import.meta.url));
const CLIENTS = 200;

async function textOf(url: string): Promise<string> {
  return (await fetch(url, { headers: { connection: "close" } })).text();
}

/** Sends a request, and hangs up a moment later whether it has been answered or not. */
function hangUp(url: string): Promise<void> {
  return new Promise((resolve) => {
    const sent = request(url, { agent: false });
    sent
      .on("error", () => {})
      .on("close", resolve)
      .end();
    sent.on("socket", (socket) => {
      socket.once("connect", () => setTimeout(() => sent.destroy(), 30));
    });
    sent.on("response", (response) => response.on("error", () => {}).resume());
  });
}

/** Sends a request and resets the connection at once. */
function reset(url: string): Promise<void> {
  const { hostname, port, pathname } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket
      .on("error", () => {})
      .on("close", () => resolve())
      .on("connect", () => {
        socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
        socket.resetAndDestroy();
      });
  });
}

/** Asks until a request is answered with a status. */
async function untilStatus(url: string, expected: number): Promise<void> {
  const deadline = performance.now() + 5_000;
  for (;;) {
    const response = await fetch(url, { headers: { connection: "close" } });
    await response.text();
    if (response.status === expected) return;
    if (performance.now() > deadline) throw new Error(`the last status was ${response.status}`);
  }
}

describe.each(FRAMEWORKS)("under %s, one client that resets 200 connections", (name) => {
  it("starts no more handlers than its limits allow, and none where it is blocked", async () => {
    const server = new ServerProcess(SERVER, name);
    onTestFinished(() => server.kill());
    const { address } = await server.listens();
    for (const path of ["/permits", "/failures", "/blocked"]) {
      for (let client = 0; client < CLIENTS; client++) await reset(address + path);
    }
    const started = JSON.parse(await textOf(`${address}/started`));
    // Those whose address was still there count apart from those whose address was gone.
    expect(started["/permits"]).toBeLessThanOrEqual(4);
    expect(started["/failures"]).toBeLessThanOrEqual(10);
    expect(started["/blocked"]).toBe(0);
  });
});

describe.each(FRAMEWORKS)("under %s, one client that hangs up 200 times", (name) => {
  it("starts no more handlers than its limits allow", async () => {
    const server = new ServerProcess(SERVER, name);
    onTestFinished(() => server.kill());
    const { address } = await server.listens();
    for (const path of ["/permits", "/failures"]) {
      await Promise.all(Array.from({ length: CLIENTS }, () => hangUp(address + path)));
      await hangUp(address + path);
    }
    const started = await textOf(`${address}/started`);
    expect(JSON.parse(started)).toEqual({ "/permits": 2, "/failures": 5, "/blocked": 0 });
    await untilStatus(`${address}/permits`, 429);
    await textOf(`${address}/finish`);
    await untilStatus(`${address}/permits`, 200);
    await untilStatus(`${address}/failures`, 429);
  });
});

it("server-sent-events: frees the permit of a stream that its client closes", async () => {
  const example = await RunningExample.start("server-sent-events");
  onTestFinished(() => example.stop());
  const url = `${example.addresses[0]}/events`;
  const streams = [1, 2].map(() => new AbortController());
  for (const { signal } of streams) expect((await fetch(url, { signal })).status).toBe(200);
  const refused = await fetch(url);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
  await refused.text();
  streams[0]?.abort();
  const deadline = performance.now() + 5_000;
  let status = 429;
  while (status === 429 && performance.now() < deadline) {
    const { signal } = streams[1] as AbortController;
    const response = await fetch(url, { signal });
    status = response.status;
    if (status === 429) await response.text();
  }
  expect(status).toBe(200);
  streams[1]?.abort();
});
