/** The work at the end of a response, and requests that share one connection. */

import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { type IncomingMessage, request as plainRequest } from "node:http";
import { connect } from "node:net";
import { CHANNELS, concurrency, type DecisionEvent, leakyBucket } from "@tidegate/core";
import type { HttpCase } from "./contract-case.ts";
import { giveUp, KEY, until, untilUsed, used } from "./giving-up.ts";
import { type SiteOptions, visit } from "./site.ts";

/** The request of the server, below the framework's own. */
function rawRequest(request: unknown): IncomingMessage {
  const { req, raw } = request as { req?: IncomingMessage; raw?: IncomingMessage };
  return req ?? raw ?? (request as IncomingMessage);
}

/** Returns a key after the client has aborted its request. */
function keyOfGone(request: unknown): Promise<string> {
  return new Promise((resolve) => {
    rawRequest(request).socket.once("close", () => setImmediate(resolve, KEY));
  });
}

export const END_CASES: readonly HttpCase[] = [
  {
    ids: ["W1"],
    title: "of two requests sent together on one connection, limit 1 lets one through",
    async run(framework) {
      await visit(framework, { limit: 1 }, async ({ url }) => {
        const text = await new Promise<string>((resolve, reject) => {
          const socket = connect(Number(new URL(url).port), "127.0.0.1");
          let heard = "";
          socket.on("data", (chunk) => {
            heard += chunk.toString();
          });
          socket.on("end", () => resolve(heard)).on("error", reject);
          const ask = "GET / HTTP/1.1\r\nHost: a\r\n";
          socket.write(`${ask}\r\n${ask}Connection: close\r\n\r\n`);
        });
        const statuses = Array.from(text.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status);
        assert.deepEqual(statuses, ["200", "429"]);
      });
    },
  },
  {
    ids: ["E1"],
    title: "permits of a request are released once, when it is answered or aborted",
    async run(framework) {
      const limiters = [{ policies: [concurrency({ name: "open", limit: 1 })] }];
      await visit(framework, { limiters }, async (site) => {
        assert.deepEqual(await site.statuses(3), [200, 200, 200]);
        await untilUsed(site, 0);
      });
      let finish = (): void => {};
      const wait = () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        });
      await visit(framework, { limiters, answer: { wait } }, async (site) => {
        const held = plainRequest(site.url, { agent: false });
        held.on("error", () => {}).end();
        await untilUsed(site, 1);
        assert.equal((await site.get()).status, 429);
        assert.equal(used(site), 1);
        held.destroy();
        finish();
        await untilUsed(site, 0);
      });
    },
  },
  {
    ids: ["E2"],
    title: "failed and aborted requests are refunded if configured",
    async run(framework) {
      const limiters = [{ limit: 5, skipFailedRequests: true }];
      await visit(framework, { limiters, answer: { status: 500 } }, async (site) => {
        assert.deepEqual(await site.statuses(7), Array(7).fill(500));
        await untilUsed(site, 0);
      });
      await visit(framework, { limiters }, async (site) => {
        assert.deepEqual(await site.statuses(2), [200, 200]);
        assert.equal(used(site), 2);
      });
      const never = { wait: () => new Promise(() => {}) };
      const gone: SiteOptions = { limit: 5, skipFailedRequests: true };
      const given: SiteOptions = { ...gone, refundHangUps: true, holdAfterHangUpMs: 0 };
      await visit(framework, { limiters: [given], answer: never }, async (site) => {
        await giveUp(site);
        await untilUsed(site, 0);
      });
      for (const kept of [gone, { limit: 5, skipSuccessfulRequests: true }]) {
        await visit(framework, { limiters: [kept], answer: never }, async (site) => {
          await giveUp(site);
          await giveUp(site);
          await untilUsed(site, 2);
        });
      }
    },
  },
  {
    ids: ["E1", "E2"],
    title: "a request whose client has gone before it was counted holds nothing",
    async run(framework) {
      const plans = [
        { policies: [concurrency({ limit: 1 })] },
        { limit: 5, skipFailedRequests: true, refundHangUps: true },
      ];
      for (const options of plans) {
        let asked = (): void => {};
        const isAsked = new Promise<void>((resolve) => {
          asked = resolve;
        });
        const key = (request: unknown): Promise<string> => {
          asked();
          return keyOfGone(request);
        };
        await visit(framework, { ...options, key }, async (site) => {
          const request = plainRequest(site.url, { agent: false });
          request.on("error", () => {}).end();
          await isAsked;
          request.destroy();
          await until(() => site.limiter.status().allowed > 0, "the request was not counted");
          await untilUsed(site, 0);
        });
      }
    },
  },
  {
    ids: ["E3"],
    title: "what a request has cost is charged when it has been answered",
    async run(framework) {
      await visit(framework, { limit: 10, cost: () => 2, charge: () => 3 }, async (site) => {
        await site.get();
        await untilUsed(site, 5);
        assert.equal((await site.get()).status, 200);
        await untilUsed(site, 10);
        assert.equal((await site.get()).status, 429);
      });
      let counts = false;
      await visit(framework, { limit: 1, countIf: () => counts }, async (site) => {
        assert.deepEqual(await site.statuses(3), [200, 200, 200]);
        counts = true;
        await site.get();
        await untilUsed(site, 1);
        assert.equal((await site.get()).status, 429);
      });
    },
  },
  {
    ids: ["E4"],
    title: "a dry run decides and reports, and refuses no request",
    async run(framework) {
      let limited = 0;
      const onLimited = (): void => {
        limited++;
      };
      const block = [KEY];
      await visit(framework, { limit: 9, dryRun: true, block, onLimited }, async (site) => {
        assert.deepEqual(await site.statuses(2), [200, 200]);
        assert.equal(limited, 2);
      });
      limited = 0;
      await visit(framework, { limit: 1, dryRun: true, onLimited }, async (site) => {
        assert.deepEqual(await site.statuses(3), [200, 200, 200]);
        assert.equal(limited, 2);
        const { headers } = await site.get();
        assert.equal(
          framework.legacy.some((name) => name in headers),
          false,
        );
      });
    },
  },
  {
    ids: ["E4"],
    title: "events of a dry run say that nothing was enforced",
    async run(framework) {
      const enforced: boolean[] = [];
      const note = (event: unknown): void => {
        enforced.push((event as DecisionEvent).enforced);
      };
      subscribe(CHANNELS.decision, note);
      try {
        const key = (): string => KEY;
        for (const options of [{}, { key }, { key, limit: () => 1 }, { cost: () => 2 }]) {
          for (const dryRun of [true, false]) {
            await visit(framework, { limit: 1, dryRun, ...options }, async (site) => {
              await site.statuses(2);
            });
            assert.deepEqual(enforced.splice(0), [!dryRun, !dryRun]);
          }
        }
      } finally {
        unsubscribe(CHANNELS.decision, note);
      }
    },
  },
  {
    ids: ["E5"],
    title: "a request that is held back goes on, also where its client has gone meanwhile",
    async run(framework) {
      let wentOn = 0;
      const policies = [leakyBucket({ capacity: 1, leakPerSecond: 5, maxWaitMs: 1_000 })];
      const key = (): string => {
        wentOn++;
        return KEY;
      };
      await visit(framework, { limiters: [{ policies }, { key }] }, async (site) => {
        await site.get();
        await giveUp(site);
        assert.equal(wentOn, 1);
        await until(() => wentOn === 2, "the request did not go on");
      });
    },
  },
];
