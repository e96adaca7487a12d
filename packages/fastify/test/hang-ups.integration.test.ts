/**
 * Handlers whose clients have hung up, and which show by their promise alone that they are done.
 */

import { connect, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { concurrency, type Limiter } from "@tidegate/core";
import { type FastifyInstance, fastify, type RouteHandlerMethod } from "fastify";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type RateLimitOptions, rateLimit } from "../src/index.ts";

/** What a limit may be given to. */
const WHERE = ["plugin", "route", "hook of a route"] as const;

const LIMIT: RateLimitOptions = { policies: [concurrency({ limit: 9 })] };

const opened: { close(): unknown }[] = [];

afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

/** Work that continues until the test ends it. */
class Work {
  finish = (): void => {};
  readonly done = new Promise<void>((resolve) => {
    this.finish = resolve;
  });
}

/** What is held under a limiter: after a hang-up, and at last, once the work of its handler is done. */
async function heldAfter(
  handlerOf: (work: Work) => RouteHandlerMethod,
  where: (typeof WHERE)[number],
): Promise<number> {
  const app: FastifyInstance = fastify();
  opened.push(app);
  const work = new Work();
  let limiter: Limiter | undefined;
  let gone = 0;
  const onPlugin = where === "plugin" ? LIMIT : { global: false };
  await app.register(rateLimit, onPlugin);
  app.addHook("onRoute", ({ onRequest }) => {
    const [handler] = [onRequest].flat() as { limiter?: Limiter }[];
    limiter = handler?.limiter;
  });
  app.get("/", {
    exposeHeadRoute: false,
    ...(where === "route" && { config: { rateLimit: LIMIT } }),
    ...(where === "hook of a route" && { onRequest: app.rateLimit(LIMIT) }),
    handler(request, reply) {
      request.raw.socket.once("close", () => gone++);
      return handlerOf(work).call(this, request, reply);
    },
  });
  const address = await app.listen({ port: 0, host: "127.0.0.1" });
  const socket: Socket = connect(Number(new URL(address).port), "127.0.0.1");
  socket.on("error", () => {}).write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const held = (): number => limiter?.inspect("127.0.0.1").results[0]?.used ?? 0;
  await vi.waitFor(() => expect(held()).toBe(1), { interval: 2 });
  socket.destroy();
  await vi.waitFor(() => expect(gone).toBe(1), { interval: 2 });
  await new Promise(setImmediate);
  expect(held()).toBe(1);
  work.finish();
  await vi.waitFor(() => expect(held()).toBe(0), { interval: 2, timeout: 2_000 });
  return held();
}

describe.each(WHERE)("under the limit of a %s, a client that hangs up", (where) => {
  it.each<[string, (work: Work) => RouteHandlerMethod]>([
    ["returns nothing", (work) => async () => work.done],
    [
      "fails",
      (work) => async () => {
        await work.done;
        throw new Error("late");
      },
    ],
    [
      "has hijacked the reply",
      (work) => async (_request, reply) => {
        reply.hijack();
        await work.done;
      },
    ],
    [
      "has sent a stream meanwhile",
      (work) => async (_request, reply) => {
        const stream = new PassThrough();
        reply.send(stream);
        stream.write("begun");
        await work.done;
        return reply;
      },
    ],
    [
      "has piped a stream meanwhile",
      (work) => async (_request, reply) => {
        reply.hijack();
        const stream = new PassThrough();
        stream.pipe(reply.raw);
        stream.write("begun");
        await work.done;
      },
    ],
  ])("holds its permit until its handler, which %s, is done", async (_, handlerOf) => {
    expect(await heldAfter(handlerOf, where)).toBe(0);
  });
});
