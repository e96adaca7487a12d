/**
 * The example for WebSockets: its client talks to its server, and one does not take no for an answer.
 */

import { once } from "node:events";
import { expect, it } from "vitest";
import { WebSocket } from "ws";
import { programOf, RunningExample } from "./running-example.ts";

const MESSAGES_MAX = 5;
const REFUSED_MAX = 20;

it("websocket: refuses a sixth message until it may come", async ({ onTestFinished }) => {
  const server = await RunningExample.start("websocket");
  onTestFinished(() => server.stop());
  const output = await programOf("websocket", 1, [server.addresses[0]!.replace("http", "ws")]);
  const lines = output.trim().split("\n");
  const said = lines.slice(0, -1).map((line) => JSON.parse(line));
  expect(said.slice(0, MESSAGES_MAX).map(({ echo }) => echo)).toEqual(["a", "b", "c", "d", "e"]);
  expect(said[MESSAGES_MAX].error).toBe("slow down");
  expect(said[MESSAGES_MAX].retryAfterMs).toBeGreaterThan(0);
  expect(said[MESSAGES_MAX].retryAfterMs).toBeLessThanOrEqual(1_000);
  expect(said.at(-1).echo).toBe("again");
  expect(lines.at(-1)).toBe("closed with 1005");
});

it("websocket: sends away who goes on, and who has too many connections", async ({
  onTestFinished,
}) => {
  const server = await RunningExample.start("websocket");
  onTestFinished(() => server.stop());
  const address = server.addresses[0]!.replace("http", "ws");
  const sockets = [1, 2, 3].map(() => new WebSocket(address));
  await Promise.all(sockets.map((socket) => once(socket, "open")));
  const fourth = new WebSocket(address);
  const [fourthCode] = await once(fourth, "close");
  expect(fourthCode).toBe(1008);
  const [first] = sockets;
  // More than needed: a slow machine gives the bucket time for some of them.
  for (let sent = 0; sent <= MESSAGES_MAX + 2 * REFUSED_MAX; sent++) first!.send("now");
  const [code] = await once(first!, "close");
  expect(code).toBe(1008);
  const again = new WebSocket(address);
  await once(again, "open");
  again.send("a place is free again");
  const [answer] = await once(again, "message");
  expect(Object.keys(JSON.parse(String(answer)))[0]).toMatch(/^(echo|error)$/);
});
