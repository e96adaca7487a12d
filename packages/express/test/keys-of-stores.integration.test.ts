import { concurrency, joinCluster, tokenBucket } from "@tidegate/core";
import type { KeyAnswer } from "@tidegate/core/http";
import { manualClock, memoryNetwork } from "@tidegate/core/testing";
import { rateLimit as original, MemoryStore as TheirStore } from "express-rate-limit";
import { describe, expect, it } from "vitest";
import { MemoryStore, type Options, rateLimit, type Store, tidegateStore } from "../src/index.ts";
import { withApp } from "./app.ts";

const LONG = "x".repeat(300);

/** A store of another package, which needs text. */
function foreignStore(): Store {
  const hits = new Map<string, number>();
  const infoOf = (key: string) => ({ totalHits: hits.get(key) ?? 0, resetTime: new Date() });
  return {
    get: async (key) => (hits.has(key) ? infoOf(key) : undefined),
    increment: async (key) => {
      hits.set(key.slice(0), (hits.get(key) ?? 0) + 1);
      return { ...infoOf(key), resetTime: new Date(Date.now() + 60_000) };
    },
    decrement: async (key) => void hits.set(key, (hits.get(key) ?? 0) - 1),
    resetKey: async (key) => void hits.delete(key),
  };
}

describe("a key", () => {
  it("is read and reset as the key function returned it, with any counter", async () => {
    const bytes = new TextEncoder().encode("ada");
    for (const key of ["ada", LONG, "a\nb", 7, 7n, ["a", "b"], bytes] satisfies KeyAnswer[]) {
      for (const store of [undefined, new MemoryStore(), foreignStore()]) {
        const options = { limit: 1, keyGenerator: () => key, ...(store && { store }) };
        const middleware = rateLimit({ ...options, validate: false });
        await withApp([middleware], async (app) => {
          expect(await app.statuses(2)).toEqual([200, 429]);
          expect(await middleware.getKey(key)).toMatchObject({ totalHits: 2 });
          await middleware.resetKey(key);
          expect(await middleware.getKey(key)).toBeUndefined();
          expect(await app.statuses(2)).toEqual([200, 429]);
          if (!(store instanceof MemoryStore)) return;
          await store.resetKey(key as string);
          expect(await app.statuses(2)).toEqual([200, 429]);
        });
      }
    }
  });

  it("that is none is not known, and resets nothing", async () => {
    for (const store of [undefined, foreignStore()]) {
      const middleware = rateLimit({ limit: 1, ...(store && { store }) });
      for (const nothing of ["", null, undefined, {} as never]) {
        expect(await middleware.getKey(nothing)).toBeUndefined();
        expect(await middleware.resetKey(nothing)).toBeUndefined();
      }
    }
  });

  it("may be anything for a store of ours in express-rate-limit, as for its own", async () => {
    const cluster = joinCluster({ transport: memoryNetwork().transport() });
    let stores = 0;
    for (const key of ["ada", "", 7, true, false, null, undefined, ["a"], LONG]) {
      const ours = tidegateStore({ cluster, name: `api-${stores++}` });
      for (const store of [new TheirStore(), new MemoryStore(), ours]) {
        const middleware = original({
          ...{ limit: 1, store, validate: false, keyGenerator: () => key as string },
        });
        await withApp([middleware], async (app) => {
          expect(await app.statuses(2)).toEqual([200, 429]);
          expect(await middleware.getKey(key as string)).toMatchObject({ totalHits: 2 });
          middleware.resetKey(key as string);
          expect(await app.statuses(2)).toEqual([200, 429]);
        });
      }
    }
    await cluster.leave();
  });
});

describe("a hit", () => {
  it("is given back by its key alone, by whichever way it was counted", async () => {
    for (const [limiter, store] of [
      [original, new TheirStore()],
      [original, new MemoryStore()],
      [rateLimit, new MemoryStore()],
    ] as const) {
      const options = { limit: 3, validate: false, keyGenerator: () => "ada" };
      const middleware = limiter({ ...options, store: store as never });
      await withApp([middleware], async (app) => {
        const used = async () => (await store.get("ada"))?.totalHits ?? 0;
        await app.statuses(4);
        await store.decrement("ada");
        expect(await used()).toBe(3);
        await store.increment("ada");
        for (let times = 0; times < 6; times++) await store.decrement("ada");
        expect(await used()).toBe(0);
        expect(await app.statuses(4)).toEqual([200, 200, 200, 429]);
        await store.decrement("eve");
        expect((await store.get("eve"))?.totalHits ?? 0).toBe(0);
      });
    }
  });

  it("of a window that is over is not given back in the next", async () => {
    const clock = manualClock();
    let store: Options["store"] | undefined;
    const middleware = rateLimit({
      ...{ limit: 1, windowMs: 1_000, clock },
      handler: (_request, response, _next, options) => {
        store = options.store;
        response.status(429).end();
      },
    });
    await withApp([middleware], async (app) => {
      await app.statuses(2);
      await (store as Store).increment("127.0.0.1");
      clock.advance(1_000);
      await (store as Store).decrement("127.0.0.1");
      expect(await middleware.getKey("127.0.0.1")).toBeUndefined();
      await app.statuses(2);
      await (store as Store).decrement("127.0.0.1");
      expect(await middleware.getKey("127.0.0.1")).toMatchObject({ totalHits: 1 });
    });
  });

  it("acquires no permit by hand, and releases none", async () => {
    for (const others of [[], [tokenBucket({ name: "rate", capacity: 5, refillPerSecond: 1 })]]) {
      let used: Options | undefined;
      const handler: Options["handler"] = (_request, response, _next, options) => {
        used = options;
        response.status(429).end();
      };
      const policies = [concurrency({ limit: 0 }), ...others];
      const middleware = rateLimit({ policies, handler });
      await withApp([middleware], async (app) => void (await app.get()));
      const store = used?.store as Store;
      await store.increment("127.0.0.1");
      await store.decrement("127.0.0.1");
      const { results } = middleware.limiter!.inspect("127.0.0.1");
      expect(results.map((result) => result.used)).toEqual(policies.map(() => 0));
    }
  });
});
