import { subscribe, unsubscribe } from "node:diagnostics_channel";
import {
  CHANNELS,
  type DecisionEvent,
  fixedWindow,
  HOUR,
  MINUTE,
  slidingWindow,
  tokenBucket,
} from "@tidegate/core";
import { describe, expect, it } from "vitest";
import type { CreateRateLimitOptions } from "../src/index.ts";
import { clock, withPlugin } from "./app.ts";

describe("createRateLimit", () => {
  it("publishes decisions that the application enforces, since it acts on the answer", async () => {
    const enforced: boolean[] = [];
    const note = (event: unknown): void => {
      enforced.push((event as DecisionEvent).enforced);
    };
    subscribe(CHANNELS.decision, note);
    await withPlugin(
      { global: false, max: 1 },
      {
        build: (server) => {
          const ask = server.createRateLimit();
          server.get("/", async (request) => ask(request));
        },
        visit: async (app) => {
          await app.statuses("/", "/");
        },
      },
    ).finally(() => unsubscribe(CHANNELS.decision, note));
    expect(enforced).toEqual([true, true]);
  });

  it("counts, or looks, and sends nothing", async () => {
    await withPlugin(
      { global: false, max: 2, ban: 1 },
      {
        build: (server) => {
          const ask = server.createRateLimit();
          server.get("/", async (request) => ask(request));
          server.get("/look", async (request) => ask(request, { increment: false }));
        },
        visit: async (app) => {
          const state = async (path: string) => (await app.get(path)).body;
          const fresh = {
            ...{ isAllowed: false, key: "127.0.0.1", max: 2, timeWindow: MINUTE, remaining: 2 },
            ...{ ttl: 0, ttlInSeconds: 0, isExceeded: false, isBanned: false },
          };
          const counting = { ...fresh, ttl: MINUTE, ttlInSeconds: 60 };
          expect(await state("/look")).toEqual(fresh);
          expect(await state("/")).toEqual({ ...counting, remaining: 1 });
          clock.advance(500);
          const later = { ...counting, ttl: 59_500 };
          expect(await state("/look")).toEqual({ ...later, remaining: 1 });
          expect(await state("/")).toEqual({ ...later, remaining: 0 });
          expect(await state("/look")).toEqual({ ...later, remaining: 0 });
          const over = { ...later, remaining: 0, isExceeded: true };
          expect(await state("/")).toEqual(over);
          expect(await state("/look")).toEqual(over);
          expect(await state("/")).toEqual({ ...over, isBanned: true });
          const { headers, status } = await app.get();
          expect(status).toBe(200);
          expect(Object.keys(headers).filter((name) => /ratelimit|retry/.test(name))).toEqual([]);
        },
      },
    );
  });

  it.each([
    ["fixedWindow", { policies: [fixedWindow({ limit: 2, windowMs: MINUTE })] }],
    ["slidingWindow", { policies: [slidingWindow({ limit: 2, windowMs: MINUTE })] }],
    ["tokenBucket", { policies: [tokenBucket({ capacity: 2, refillPerSecond: 0.01 })] }],
    ["api", { preset: "api", limit: 2 }],
    ["parity", { max: 2 }],
    ["bans", { max: 2, ban: 9, continueExceeding: true }],
    ["backoff", { max: 2, exponentialBackoff: true }],
  ] as const)(
    "that only looks says what was exceeded, counted or not: %s",
    async (_name, given) => {
      await withPlugin(
        { global: false },
        {
          build: (server) => {
            const ask = server.createRateLimit(given as CreateRateLimitOptions);
            server.get("/", async (request) => {
              const { isExceeded } = (await ask(request)) as { isExceeded: boolean };
              const look = (await ask(request, { increment: false })) as { isExceeded: boolean };
              return [isExceeded, look.isExceeded];
            });
          },
          visit: async (app) => {
            const answers: unknown[] = [];
            for (let index = 0; index < 3; index++) answers.push((await app.get()).body);
            // With one more the limit is exceeded, and only counted refusals tell whether there was one.
            const isKnown = "max" in given;
            expect(answers).toEqual([
              [false, false],
              [false, !isKnown],
              [true, true],
            ]);
          },
        },
      );
    },
  );

  it("passes functions no reply, and may peek at one request more than once", async () => {
    const told: unknown[][] = [];
    const tell =
      <Answer>(answer: Answer) =>
      (...given: unknown[]): Answer => {
        told.push(given.slice(1));
        return answer;
      };
    const { emitWarning } = process;
    const warnings: unknown[] = [];
    process.emitWarning = ((warning: unknown) => warnings.push(warning)) as typeof emitWarning;
    await withPlugin(
      { global: false },
      {
        build: (server) => {
          const { skip, key, limit, windowMs } = {
            ...{ skip: tell(false), key: tell("ada"), limit: tell(2), windowMs: tell(MINUTE) },
          };
          const ask = server.createRateLimit({ skip, key, limit, windowMs });
          server.get("/", async (request) => {
            await ask(request, { increment: false });
            await ask(request, { increment: false });
            return ask(request);
          });
        },
        visit: async (app) => {
          expect((await app.get()).body).toMatchObject({ key: "ada", remaining: 1 });
        },
      },
    );
    process.emitWarning = emitWarning;
    expect(warnings).toEqual([]);
    const alone = [undefined, undefined];
    const asked = [alone, alone, ["ada", undefined], ["ada", undefined]];
    expect(told).toEqual([...asked, ...asked, ...asked]);
  });

  it("treats a request whose function fails as exceeded or allowed, as onError says", async () => {
    const keyGenerator = (): never => {
      throw new Error("no key");
    };
    for (const [onError, isAllowed] of [
      ["closed", false],
      ["open", true],
    ] as const) {
      await withPlugin(
        { global: false, max: 2, validate: false },
        {
          build: (server) => {
            const ask = server.createRateLimit({ keyGenerator, onError });
            server.get("/", async (request) => ask(request));
          },
          visit: async (app) => {
            const { body } = await app.get();
            expect(body).toMatchObject(isAllowed ? { isAllowed } : { isAllowed, isExceeded: true });
          },
        },
      );
    }
  });

  it("shows clients that are always allowed, and their keys", async () => {
    await withPlugin(
      { global: false },
      {
        build: (server) => {
          const ask = server.createRateLimit({
            max: async (_request, key) => (key === "pro" ? 9 : 3),
            timeWindow: async () => HOUR,
            keyGenerator: (request) => String(request.headers["x-user"]),
            allowList: ["root"],
          });
          server.get("/", async (request) => ask(request));
        },
        visit: async (app) => {
          const state = async (user: string) => (await app.get("/", { "x-user": user })).body;
          expect(await state("root")).toEqual({ isAllowed: true, key: "root" });
          expect(await state("pro")).toMatchObject({ key: "pro", max: 9, timeWindow: HOUR });
          expect(await state("eve")).toMatchObject({ key: "eve", max: 3, remaining: 2 });
        },
      },
    );
  });

  it("shows the window of the policy that decides", async () => {
    const policies = [
      slidingWindow({ name: "hour", limit: 3, windowMs: HOUR }),
      tokenBucket({ name: "burst", capacity: 2, refillPerSecond: 0.5 }),
    ];
    await withPlugin(
      { global: false, policies },
      {
        build: (server) => {
          const ask = server.createRateLimit();
          server.get("/", async (request) => ask(request));
        },
        visit: async (app) => {
          const state = async () => (await app.get()).body;
          expect(await state()).toMatchObject({ max: 2, timeWindow: 4_000, remaining: 1 });
          await state();
          const refused = { max: 2, timeWindow: 4_000, ttl: 2_000, isExceeded: true };
          expect(await state()).toMatchObject(refused);
          clock.advance(4_000);
          expect(await state()).toMatchObject({ max: 3, timeWindow: HOUR, remaining: 0 });
        },
      },
    );
  });

  it("counts by user name and address with the preset login", async () => {
    const username = (request: { headers: Record<string, unknown> }) =>
      String(request.headers["x-user"]);
    await withPlugin({ global: false, preset: "login", username, addressLimit: 3 } as never, {
      build: (server) => {
        const ask = server.createRateLimit({ limit: 2 });
        server.get("/", async (request) => ask(request));
        server.get("/look", async (request) => ask(request, { increment: false }));
      },
      visit: async (app) => {
        const state = async (user: string, path = "/") =>
          (await app.get(path, { "x-user": user })).body;
        const window = { isAllowed: false, timeWindow: 15 * MINUTE };
        expect(await state("ada", "/look")).toMatchObject({ ...window, max: 2, remaining: 2 });
        await state("ada");
        expect(await state("ada")).toMatchObject({ ...window, key: "ada", isExceeded: false });
        expect(await state("ada")).toMatchObject({ ...window, key: "ada", isExceeded: true });
        expect(await state("bob")).toMatchObject({ key: "bob", isExceeded: false });
        const sprayed = { ...window, key: "127.0.0.1", max: 3, isExceeded: true };
        expect(await state("eve")).toMatchObject(sprayed);
      },
    });
  });
});
