import { runInNewContext } from "node:vm";
import { joinCluster, MINUTE } from "@tidegate/core";
import { memoryNetwork } from "@tidegate/core/testing";
import { rateLimit as original } from "express-rate-limit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type IncrementResponse,
  type LegacyStore,
  MemoryStore,
  type Options,
  rateLimit,
  type Store,
  tidegateStore,
} from "../src/index.ts";
import { withApp } from "./app.ts";

/** A store as others write them: it answers later. */
class FarStore implements Store {
  readonly hits = new Map<string, number>();
  readonly calls: string[] = [];
  prefix = "";
  windowMs = 0;
  answers: (key: string) => Promise<IncrementResponse> = async (key) => {
    const totalHits = (this.hits.get(key) ?? 0) + 1;
    this.hits.set(key, totalHits);
    return { totalHits, resetTime: new Date(Date.now() + this.windowMs) };
  };

  init({ windowMs }: Options): void {
    this.windowMs = Number(windowMs);
  }

  increment(key: string): Promise<IncrementResponse> {
    this.calls.push(`increment ${key}`);
    return this.answers(key);
  }

  async decrement(key: string): Promise<void> {
    this.calls.push(`decrement ${key}`);
    this.hits.set(key, (this.hits.get(key) ?? 0) - 1);
  }

  async resetKey(key: string): Promise<void> {
    this.hits.delete(key);
  }
}

let warned: string[];
beforeEach(() => {
  warned = [];
  vi.spyOn(process, "emitWarning").mockImplementation(((
    _text: string,
    { code = "" }: NodeJS.EmitWarningOptions,
  ) => {
    warned.push(code);
  }) as typeof process.emitWarning);
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe("a store of express-rate-limit", () => {
  it("counts instead of a limiter, and receives the options", async () => {
    const store = new FarStore();
    const middleware = rateLimit({ limit: 2, windowMs: 30_000, store, standardHeaders: true });
    await withApp([middleware], async (app) => {
      const first = await app.get();
      expect(first.headers).toMatchObject({ "ratelimit-remaining": "1", "ratelimit-reset": "30" });
      expect(await app.statuses(2)).toEqual([200, 429]);
      expect(store.calls).toEqual(new Array(3).fill("increment 127.0.0.1"));
      expect([middleware.limiter, store.windowMs]).toEqual([null, 30_000]);
      middleware.resetKey("127.0.0.1");
      expect(await app.statuses(1)).toEqual([200]);
      expect(() => middleware.getKey("127.0.0.1")).toThrow(/does not support/);
    });
  });

  it("has hits taken back as skip options say, refused ones too", async () => {
    const store = new FarStore();
    const middleware = rateLimit({ limit: 1, store, skipFailedRequests: true });
    await withApp(
      [middleware],
      async (app) => {
        await app.statuses(3);
        await vi.waitFor(() => expect(store.hits.get("127.0.0.1")).toBe(0));
      },
      (_request, response) => {
        response.status(500).end();
      },
    );
  });

  it("may have callbacks", async () => {
    let hits = 0;
    const store: LegacyStore = {
      incr: (_key, callback) => callback(undefined, ++hits, new Date(Date.now() + MINUTE)),
      decrement: () => {},
      resetKey: () => {},
    };
    await withApp([rateLimit({ limit: 1, store })], async (app) => {
      expect(await app.statuses(2)).toEqual([200, 429]);
    });
    const failing: LegacyStore = {
      ...store,
      incr: (_key, callback) => callback(new Error("no"), 0, undefined),
    };
    await withApp([rateLimit({ limit: 1, store: failing })], async (app) => {
      expect(await app.statuses(1)).toEqual([500]);
    });
  });

  it("that fails gives 500, or lets requests pass without a word about limits (W11)", async () => {
    for (const passOnStoreError of [false, true]) {
      const store = new FarStore();
      store.answers = () => Promise.reject(new Error("gone"));
      const options = { limit: 1, store, passOnStoreError, standardHeaders: true } as const;
      await withApp(
        [rateLimit(options)],
        async (app) => {
          const { status, headers } = await app.get();
          expect(status).toBe(passOnStoreError ? 200 : 500);
          expect(Object.keys(headers).filter((name) => name.includes("ratelimit"))).toEqual([]);
        },
        (request, response) => {
          response.send(String(Reflect.get(request, "rateLimit")));
        },
      );
    }
    expect(warned).toEqual(["TIDEGATE_STORE_FAILED"]);
  });

  it("that hangs fails after storeTimeoutMs, as an error or as configured (W3, W29)", async () => {
    for (const passOnStoreError of [false, true]) {
      const store = new FarStore();
      store.answers = () => new Promise(() => {});
      const options = { limit: 1, store, passOnStoreError, storeTimeoutMs: 20 };
      await withApp([rateLimit(options)], async (app) => {
        const startedAt = performance.now();
        expect((await app.get()).status).toBe(passOnStoreError ? 200 : 503);
        expect(performance.now() - startedAt).toBeLessThan(2_000);
      });
    }
  });

  it.each([0, -1, 1.5, Number.NaN])("may not have a timeout of %s (W34)", (storeTimeoutMs) => {
    const store = new FarStore();
    expect(() => rateLimit({ store, storeTimeoutMs })).toThrow(/'storeTimeoutMs' must be/);
  });

  it("that answers nonsense is an error, and no limit is printed as NaN (W24)", async () => {
    for (const totalHits of [Number.NaN, undefined, "five"]) {
      const store = new FarStore();
      store.answers = async () => ({ totalHits, resetTime: undefined }) as never;
      await withApp([rateLimit({ limit: 1, store })], async (app) => {
        expect((await app.get()).status).toBe(500);
      });
    }
    expect(new Set(warned)).toEqual(new Set(["TIDEGATE_STORE_HITS"]));
  });

  it("has a limit of one number, also where a function knows it", async () => {
    const options = { limit: () => ({ default: 5 }), store: new FarStore() };
    await withApp([rateLimit({ ...options, onError: "closed" })], async (app) => {
      expect((await app.get()).status).toBe(503);
    });
    expect(warned).toEqual(["TIDEGATE_REQUEST_FAILED"]);
  });

  it("that states no end of the window gives clients a whole one", async () => {
    const store = new FarStore();
    store.answers = async () => ({ totalHits: 9, resetTime: undefined });
    await withApp([rateLimit({ limit: 1, store, windowMs: 7_000 })], async (app) => {
      expect((await app.get()).headers["retry-after"]).toBe("7");
    });
    expect(warned).toEqual(["TIDEGATE_STORE_RESET_TIME"]);
  });

  it("gets keys hashed that are long or have control characters (K16)", async () => {
    const store = new FarStore();
    const options = { limit: 5, store, keyGenerator: () => `a\n${"x".repeat(300)}` };
    await withApp([rateLimit(options)], async (app) => {
      await app.get();
      expect(store.calls[0]).toMatch(/^increment sha256:[\w-]{43}$/);
    });
  });

  it("is refused when it is none, used twice with a warning, and cannot do what only limiters do", () => {
    expect(() => rateLimit({ store: {} as never })).toThrow(/'store' must be/);
    const store = new FarStore();
    rateLimit({ store });
    rateLimit({ store });
    expect(warned).toEqual(["TIDEGATE_STORE_REUSED"]);
    expect(() => rateLimit({ store: new FarStore(), cost: 2 })).toThrow(/needs a limiter/);
    expect(() => rateLimit({ store: new FarStore(), windowMs: () => 5 })).toThrow(/not a store/);
  });

  it("may fail to begin without taking the application down", async () => {
    const thrown = Object.assign(new FarStore(), {
      init: () => {
        throw new Error("no");
      },
    });
    const rejected = Object.assign(new FarStore(), { init: () => Promise.reject(new Error("no")) });
    // A promise of another realm is none of ours by its class.
    const elsewhere: () => Promise<void> = runInNewContext('() => Promise.reject(new Error("no"))');
    const foreign = Object.assign(new FarStore(), { init: elsewhere });
    for (const store of [thrown, rejected, foreign]) rateLimit({ store });
    await vi.waitFor(() => {
      expect(warned).toEqual(Array.from({ length: 3 }, () => "TIDEGATE_STORE_UNREADY"));
    });
  });
});

describe("a store of ours", () => {
  it("counts for express-rate-limit as its own store does", async () => {
    for (const store of [new MemoryStore(), undefined]) {
      const middleware = original({ limit: 2, ...(store && { store }), skipFailedRequests: true });
      let status = 200;
      await withApp(
        [middleware],
        async (app) => {
          expect(await app.statuses(3)).toEqual([200, 200, 429]);
          await middleware.resetKey("127.0.0.1");
          status = 500;
          await app.statuses(3);
          status = 200;
          expect(await app.statuses(2)).toEqual([200, 200]);
        },
        (_request, response) => {
          response.status(status).end();
        },
      );
    }
  });

  it("is a store of its own kind for our middleware too", async () => {
    const store = new MemoryStore();
    const middleware = rateLimit({ limit: 1, store, windowMs: MINUTE });
    expect(middleware.limiter).toBe(store.limiter);
    await withApp([middleware], async (app) => {
      expect(await app.statuses(2)).toEqual([200, 429]);
      expect(await store.get("127.0.0.1")).toMatchObject({ totalHits: 2 });
      await store.resetAll();
      expect(await app.statuses(1)).toEqual([200]);
      store.shutdown();
    });
  });

  it("is for one limiter, and gives a warning for two unless that is switched off", async () => {
    const [said, unsaid] = [new MemoryStore(), new MemoryStore()];
    const limiters = [rateLimit({ limit: 1, store: said }), rateLimit({ limit: 1, store: said })];
    expect(warned).toEqual(["TIDEGATE_STORE_REUSED"]);
    for (const middleware of limiters) {
      await withApp([middleware], async (app) => {
        expect(await app.statuses(2)).toEqual([200, 429]);
      });
    }
    rateLimit({ store: unsaid });
    rateLimit({ store: unsaid, validate: { unsharedStore: false } });
    expect(warned).toHaveLength(1);
  });

  it("holds the limit of express-rate-limit over processes", async () => {
    const network = memoryNetwork();
    const clusters = [1, 2].map(() => joinCluster({ transport: network.transport() }));
    const stores = clusters.map((cluster) => tidegateStore({ cluster, name: "api" }));
    const options = { windowMs: MINUTE, limit: 3, validate: false };
    const [one, two] = stores.map((store) => original({ ...options, store }));
    await Promise.all(clusters.map(({ ready }) => ready));
    await withApp([one!], async (app) => {
      expect(await app.statuses(2)).toEqual([200, 200]);
    });
    await vi.waitFor(async () => {
      expect(await stores[1]!.get?.("127.0.0.1")).toMatchObject({ totalHits: 2 });
    });
    await withApp([two!], async (app) => {
      expect(await app.statuses(2)).toEqual([200, 429]);
    });
    for (const cluster of clusters) await cluster.leave();
  });

  it("needs to know its cluster and its window", () => {
    expect(() => tidegateStore({} as never)).toThrow(/needs 'cluster' and 'name'/);
    expect(() => new MemoryStore().increment("a")).toThrow(/needs to know its window/);
    expect(() => new MemoryStore().init({ windowMs: Number.NaN })).toThrow(/'windowMs'/);
  });
});
