/**
 * How handlers end whose clients have hung up, as Express and Node have them end.
 */

import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { PassThrough, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { concurrency } from "@tidegate/core";
import express, { type Response } from "express";
import { expect, it, onTestFinished, vi } from "vitest";
import { rateLimit } from "../src/index.ts";

const FILE = fileURLToPath(import.meta.url);

const endless = (): Readable => new Readable({ read() {} });

/** Resolves once a client has hung up, in the midst of the work of a handler; `finish` ends that. */
async function goneAtWork(
  handle: (response: Response, work: Promise<void>) => unknown,
): Promise<{ held: () => number; finish: () => void }> {
  const limit = rateLimit({ policies: [concurrency({ limit: 9 })] });
  let finish = (): void => {};
  const work = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let closing: Promise<unknown> | null = null;
  const app = express().use(limit, async (_request, response) => {
    closing = once(response, "close");
    await handle(response, work);
  });
  const server = createServer(app).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => {}).write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  await vi.waitFor(() => expect(closing).not.toBeNull(), { interval: 2 });
  socket.destroy();
  await closing;
  await new Promise(setImmediate);
  const held = (): number => limit.limiters[0]?.inspect("127.0.0.1").results[0]?.used ?? 0;
  return { held, finish };
}

it.each<[string, (response: Response, work: Promise<void>) => unknown]>([
  ["json", (response, work) => work.then(() => response.json({}))],
  ["destroy", (response, work) => work.then(() => response.destroy())],
  ["sendFile", (response, work) => work.then(() => response.sendFile(FILE))],
  ["pipeline", (response, work) => work.then(() => pipeline(endless(), response).catch(() => {}))],
  [
    "the end of a stream that it has piped",
    (response, work) => {
      const stream = new PassThrough();
      stream.pipe(response);
      stream.write("begun");
      return work.then(() => stream.end());
    },
  ],
])("a handler whose client has hung up keeps its permit until it calls %s", async (_, handle) => {
  const { held, finish } = await goneAtWork(handle);
  expect(held()).toBe(1);
  finish();
  await vi.waitFor(() => expect(held()).toBe(0), { interval: 2 });
});

it("a handler that fails after it has begun to answer keeps no permit, its client still there", async () => {
  const limit = rateLimit({ policies: [concurrency({ limit: 9 })] });
  let failed = 0;
  const app = express().set("env", "test");
  app.use(limit, (_request, response, next) => {
    response.write("begun");
    failed++;
    next(new Error("upstream is gone"));
  });
  const server = createServer(app).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => {}).write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  await once(socket.resume(), "close");
  expect(failed).toBe(1);
  expect(limit.limiters[0]?.inspect("127.0.0.1").results[0]?.used).toBe(0);
});

it("a handler that has piped an idle stream keeps no permit after a hang-up", async () => {
  const { held } = await goneAtWork((response) => endless().pipe(response));
  expect(held()).toBe(0);
});
