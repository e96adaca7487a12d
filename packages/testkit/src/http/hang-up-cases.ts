/** The permits of a request whose client has hung up while its handler is still working. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { request as plainRequest } from "node:http";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { concurrency } from "@tidegate/core";
import type { HttpCase } from "./contract-case.ts";
import { giveUp, until, untilUsed, used } from "./giving-up.ts";
import { type Site, type SiteAnswer, type SiteOptions, visit } from "./site.ts";

const HANG_UPS = 20;

/** Handlers that work until the test lets them finish. */
class Handlers {
  started = 0;
  finish = (): void => {};
  readonly #finished = new Promise<void>((resolve) => {
    this.finish = resolve;
  });

  readonly wait = (): Promise<void> => {
    this.started++;
    return this.#finished;
  };
}

/** Sends a request and hangs up as soon as the limiter has decided about it. */
async function hangUp(site: Site): Promise<void> {
  const decided = (): number => site.limiter.status().allowed + site.limiter.status().refused;
  const before = decided();
  const request = plainRequest(site.url, { agent: false });
  request.on("error", () => {}).end();
  await until(() => decided() > before, "the limiter does not decide about a request");
  request.destroy();
}

/**
 * Sends a request and resets the connection at once, so that its client is gone when the server
 * reads it.
 */
async function reset({ url }: Site): Promise<void> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  await once(socket, "connect");
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const closing = once(socket, "close");
  socket.resetAndDestroy();
  await closing;
}

const HOLDING: SiteOptions = { policies: [concurrency({ limit: 2 })] };

export const HANG_UP_CASES: readonly HttpCase[] = [
  {
    ids: ["E6"],
    title: "a client that hangs up again and again has no more handlers at work than its limit",
    async run(framework) {
      for (const [options, limit] of [
        [HOLDING, 2],
        [{ limit: 5, skipFailedRequests: true }, 5],
        [{ limit: 5, skipFailedRequests: true, refundHangUps: true }, 5],
      ] as const) {
        const handlers = new Handlers();
        const { wait } = handlers;
        await visit(framework, { limiters: [options], answer: { wait } }, async (site) => {
          for (let round = 0; round < HANG_UPS; round++) await hangUp(site);
          assert.deepEqual([handlers.started, used(site)], [limit, limit]);
          assert.equal((await site.get()).status, 429);
          handlers.finish();
          const isKept = options !== HOLDING && !("refundHangUps" in options);
          if (!isKept) await untilUsed(site, 0);
          assert.equal((await site.get()).status, isKept ? 429 : 200);
        });
      }
    },
  },
  {
    ids: ["K7", "E6"],
    title: "a client that resets its connections is limited, though its address goes with them",
    async run(framework) {
      for (const [options, limit] of [
        [HOLDING, 2],
        [{ limit: 5 }, 5],
        [{ limit: 5, key: () => undefined }, 5],
        [{ block: ["127.0.0.1"] }, 0],
        [{ block: ["127.0.0.1"], key: () => "ada" }, 0],
      ] as const) {
        const handlers = new Handlers();
        const { wait } = handlers;
        await visit(framework, { limiters: [options], answer: { wait } }, async (site) => {
          for (let round = 0; round < HANG_UPS; round++) await reset(site);
          if (limit > 0) await until(() => handlers.started >= limit, "no request is handled");
          // A request that still has its address is counted by it.
          const reached = site.get();
          handlers.finish();
          assert.equal((await reached).status, limit > 0 ? 200 : 403);
          assert.ok(handlers.started <= 2 * limit, `${handlers.started} handlers have started`);
          assert.deepEqual(
            site.warnings.filter((code) => code.includes("ADDRESS")),
            [],
          );
        });
      }
    },
  },
  {
    ids: ["E6"],
    title: "what a request holds is free when holdAfterHangUpMs has passed, at once for 0",
    async run(framework) {
      for (const holdAfterHangUpMs of [0, 50]) {
        const handlers = new Handlers();
        const answer = { wait: handlers.wait };
        const options = { ...HOLDING, holdAfterHangUpMs };
        await visit(framework, { limiters: [options], answer }, async (site) => {
          await giveUp(site);
          await untilUsed(site, 0);
          handlers.finish();
        });
      }
    },
  },
  {
    ids: ["E6"],
    title: "a request that waits for its turn on a connection holds nothing once it is handled",
    async run(framework) {
      const options = { policies: [concurrency({ limit: 9 })] };
      let finish = (): void => {};
      const isFinished = new Promise<void>((resolve) => {
        finish = resolve;
      });
      let gone = 0;
      const answer: SiteAnswer = {
        handle: async (response) => {
          response.req.socket.once("close", () => gone++);
          await isFinished;
          response.end("late");
        },
      };
      await visit(framework, { limiters: [options], answer }, async (site) => {
        const socket = connect(Number(new URL(site.url).port), "127.0.0.1");
        socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(3));
        await untilUsed(site, 3);
        socket.destroy();
        await until(() => gone === 3, "the server does not notice that its client is gone");
        assert.equal(used(site), 3);
        finish();
        await untilUsed(site, 0);
      });
    },
  },
  {
    ids: ["E6"],
    title: "a response that the application breaks off holds nothing, and has failed",
    async run(framework) {
      for (const options of [HOLDING, { limit: 5, skipFailedRequests: true }]) {
        for (const error of [undefined, new Error("upstream is gone")]) {
          const answer: SiteAnswer = {
            handle: (response) => {
              response.writeHead(200).write("begun");
              setTimeout(() => response.destroy(error), 20);
            },
          };
          await visit(framework, { limiters: [options], answer }, async (site) => {
            const request = plainRequest(site.url, { agent: false });
            request
              .on("error", () => {})
              .on("response", (response) => {
                response.on("error", () => {}).resume();
              });
            request.end();
            await untilUsed(site, 1);
            await untilUsed(site, 0);
          });
        }
      }
    },
  },
  {
    ids: ["E6"],
    title: "a stream that is sent holds nothing once its client has hung up",
    async run(framework) {
      const answer: SiteAnswer = {
        handle: (response) => {
          const endless = new Readable({
            read: () => setTimeout(() => endless.push("more"), 5),
          });
          endless.pipe(response);
        },
      };
      await visit(framework, { limiters: [HOLDING], answer }, async (site) => {
        const request = plainRequest(site.url, { agent: false });
        request.on("error", () => {}).end();
        await new Promise((resolve) => {
          request.on("response", (response) => {
            response.on("error", () => {}).once("data", resolve);
          });
        });
        assert.equal(used(site), 1);
        request.destroy();
        await untilUsed(site, 0);
      });
    },
  },
];
