import { joinCluster, MINUTE, tokenBucket } from "@tidegate/core";
import { manualClock, memoryNetwork } from "@tidegate/core/testing";
import type Koa from "koa";
import type { Context } from "koa";
import { describe, expect, it, vi } from "vitest";
import { type Options, rateLimit } from "../src/index.ts";
import { withApp } from "./app.ts";
import { KOAS } from "./koa-site.ts";

const byUser = (context: Context): string => context.get("x-user");

describe.each(KOAS)("rateLimit on $name", ({ make }) => {
  it("allows 2500 in an hour", async () => {
    await withApp(make(), [rateLimit()], async (app) => {
      const { headers } = await app.get();
      expect([headers["x-ratelimit-limit"], headers["x-ratelimit-remaining"]]).toEqual([
        ...["2500", "2499"],
      ]);
      const untilReset = Number(headers["x-ratelimit-reset"]) - Date.now() / 1_000;
      expect(untilReset).toBeGreaterThan(3_590);
      expect(untilReset).toBeLessThanOrEqual(3_601);
    });
  });

  it("takes every option under the name that koa-ratelimit has for it", async () => {
    const told: unknown[] = [];
    const options: Options = {
      ...{ driver: "memory", db: new Map(), namespace: "x", max: 1, duration: 60_000 },
      ...{ status: 420, errorMessage: "Slow down", id: byUser },
      headers: { remaining: "Left", total: "All" },
      onLimited: (context, refusal) => {
        const { after, headers, id, message } = context.state["rateLimit"];
        told.push(context.status, context.body, { after, id, message }, refusal.reason);
        expect(headers).toMatchObject({ Left: 0, All: 1 });
        expect(headers["X-RateLimit-Reset"]).toBeGreaterThan(Date.now() / 1_000);
      },
    };
    await withApp(make(), [rateLimit(options)], async (app) => {
      const ada = { "x-user": "ada" };
      expect(await app.statuses(2, ada)).toEqual([200, 420]);
      const { text, headers } = await app.get(ada);
      expect(text).toBe("Slow down");
      expect([headers["left"], headers["all"], headers["retry-after"]]).toEqual(["0", "1", "60"]);
      const state = { after: 60, id: "ada", message: "Slow down" };
      expect(told.slice(0, 4)).toEqual([420, "Slow down", state, "limit"]);
      expect((await app.get({ "x-user": "eve" })).status).toBe(200);
    });
  });

  it("lets false and the whitelist pass, and the blacklist never, on any other list", async () => {
    const options: Options = {
      max: 0,
      validate: false,
      id: (context) => (byUser(context) === "nobody" ? false : byUser(context)),
      whitelist: async (context) => byUser(context) === "ada",
      blacklist: async (context) => context.get("x-bad") !== "",
    };
    await withApp(make(), [rateLimit(options)], async (app) => {
      const status = async (user: string, bad = ""): Promise<number> =>
        (await app.get({ "x-user": user, "x-bad": bad })).status;
      expect(await status("ada")).toBe(200);
      expect(await status("nobody")).toBe(200);
      expect(await status("eve")).toBe(429);
      expect([await status("ada", "1"), await status("nobody", "1")]).toEqual([403, 403]);
    });
  });

  it("keeps the headers that were set before it, also where it throws (S8)", async () => {
    const before: Koa.Middleware = async (context, next) => {
      context.set({ "Access-Control-Allow-Origin": "*", "X-Id": "7", ETag: '"old"' });
      await next();
    };
    const plans: readonly [Options, number, string][] = [
      [{ max: 0 }, 429, "Rate limit exceeded, retry in 1 hour."],
      [{ max: 0, throw: true }, 429, "Rate limit exceeded, retry in 1 hour."],
      [{ blacklist: () => true }, 403, "Forbidden"],
    ];
    for (const [options, status, text] of plans) {
      const limit = rateLimit({ validate: false, ...options });
      await withApp(make(), [before, limit], async (app) => {
        const response = await app.get();
        expect([response.status, response.text]).toEqual([status, text]);
        expect(response.type).toBe("text/plain");
        expect(response.headers).toMatchObject({ "access-control-allow-origin": "*", "x-id": "7" });
        expect(response.headers["cache-control"]).toBe("no-store");
        expect(response.headers["etag"]).toBeUndefined();
        if (status === 429) expect(response.headers["retry-after"]).toBe("3600");
      });
    }
  });

  it("throws what a middleware before it can catch", async () => {
    const caught: unknown[] = [];
    const before: Koa.Middleware = async (context, next) => {
      try {
        await next();
      } catch (error) {
        caught.push(error);
        context.status = 200;
        context.body = "caught";
      }
    };
    // Whatever is true enough throws, as it does there.
    const limit = rateLimit({ max: 0, throw: 1 as never, validate: false });
    await withApp(make(), [before, limit], async (app) => {
      expect((await app.get()).text).toBe("caught");
      expect(caught).toMatchObject([{ status: 429, expose: true }]);
      expect(caught).toMatchObject([{ headers: { "Retry-After": 3_600, "X-RateLimit-Limit": 0 } }]);
    });
  });

  it("lets onLimited throw an answer of its own, unless onError or a dry run says otherwise", async () => {
    const { emitWarning } = process;
    const onLimited = (context: Context): never => context.throw(418, "teapot");
    const answers: unknown[] = [];
    process.emitWarning = (() => {}) as typeof emitWarning;
    for (const more of [{}, { throw: true }, { onError: "open" }, { dryRun: true }] as const) {
      await withApp(make(), [rateLimit({ max: 0, onLimited, ...more })], async (app) => {
        const { status, text } = await app.get();
        answers.push([status, text]);
      });
    }
    process.emitWarning = emitWarning;
    const refused = "Rate limit exceeded, retry in 1 hour.";
    expect(answers).toEqual([
      [418, "teapot"],
      [418, "teapot"],
      [429, refused],
      [200, "admitted"],
    ]);
  });

  it("sends objects as JSON, and Retry-After without the other headers (C1)", async () => {
    const options = { max: 0, disableHeader: true, errorMessage: { error: "slow" } };
    await withApp(make(), [rateLimit({ ...options, validate: false })], async (app) => {
      const { body, headers } = await app.get();
      expect(body).toEqual({ error: "slow" });
      expect(Object.keys(headers).filter((name) => name.startsWith("x-ratelimit"))).toEqual([]);
      expect(headers["retry-after"]).toBe("3600");
    });
  });

  it("sends an errorMessage with the preset api as well, where a limit refuses", async () => {
    const options: Options = { preset: "api", max: 0, errorMessage: "Slow down", validate: false };
    await withApp(make(), [rateLimit(options)], async (app) => {
      const { text, type } = await app.get();
      expect([text, type]).toEqual(["Slow down", "text/plain"]);
    });
    await withApp(make(), [rateLimit({ ...options, block: ["127.0.0.1"] })], async (app) => {
      expect((await app.get()).type).toBe("application/problem+json");
    });
  });

  it("limits with no storage at all, and awaits an id (W12, W16)", async () => {
    const id = async (context: Context): Promise<string> => byUser(context);
    const max = async (_context: Context, key: unknown): Promise<number> => (key === "ada" ? 2 : 1);
    await withApp(make(), [rateLimit({ id, max })], async (app) => {
      expect(await app.statuses(3, { "x-user": "ada" })).toEqual([200, 200, 429]);
      expect(await app.statuses(2, { "x-user": "eve" })).toEqual([200, 429]);
      expect((await app.get({ "x-user": "ada" })).headers["x-ratelimit-limit"]).toBe("2");
    });
  });

  it("calls next in the same tick while functions answer at once", () => {
    const limit = rateLimit({
      limit: () => 5,
      skip: () => false,
      key: () => "ada",
      allow: () => false,
    });
    let isNext = false;
    const context = { req: { headers: {}, method: "GET" }, res: response(), app: {}, state: {} };
    void limit(context as unknown as Context, async () => {
      isNext = true;
    });
    expect(isNext).toBe(true);
  });

  it("rejects with what a function threw, and never throws into its caller", async () => {
    const fail = (): never => {
      throw new Error("no");
    };
    const context = { req: { headers: {}, method: "GET" }, res: response(), app: {}, state: {} };
    const entered = rateLimit({ key: fail })(context as unknown as Context, async () => {});
    await expect(entered).rejects.toThrow("no");
  });

  it("holds one limit in two applications of a cluster", async () => {
    const network = memoryNetwork();
    const clusters = [0, 1].map(() => joinCluster({ transport: network.transport() }));
    const [one, other] = clusters.map((cluster) => rateLimit({ name: "api", max: 3, cluster }));
    await Promise.all(clusters.map(({ ready }) => ready));
    await withApp(make(), [one!], async (app) => {
      expect(await app.statuses(2)).toEqual([200, 200]);
    });
    await vi.waitFor(() => {
      expect(other!.limiter.inspect("127.0.0.1").results[0]?.used).toBe(2);
    });
    await withApp(make(), [other!], async (app) => {
      expect(await app.statuses(2)).toEqual([200, 429]);
    });
    for (const cluster of clusters) await cluster.leave();
  });

  it("counts costs by policies, and leaves its limiter to the application", async () => {
    const limit = rateLimit({
      policies: [tokenBucket({ name: "tokens", capacity: 100, refillPerSecond: 1 })],
      cost: (context) => Number(context.get("x-cost")),
      charge: (context) => Number(context.get("x-more")),
      clock: manualClock(1_000),
    });
    await withApp(make(), [limit], async (app) => {
      await app.get({ "x-cost": "30", "x-more": "12" });
      expect(limit.limiter.inspect("127.0.0.1").results[0]?.used).toBe(42);
      expect(limit.limiters).toEqual([limit.limiter]);
    });
  });

  it("has the presets of all adapters", async () => {
    await withApp(
      make(),
      [rateLimit({ preset: "api", name: "orders", limit: 0, validate: false })],
      async (app) => {
        const { status, headers, text } = await app.get();
        expect([status, headers["content-type"]]).toEqual([429, "application/problem+json"]);
        expect(JSON.parse(text)["violated-policies"]).toEqual(["orders"]);
        expect(headers["ratelimit-policy"]).toBe(`"orders";q=0;w=${MINUTE / 1_000}`);
      },
    );
  });
});

function response(): object {
  const headers = new Map<string, unknown>();
  return {
    headersSent: false,
    getHeader: (name: string) => headers.get(name),
    setHeader: (name: string, value: unknown) => headers.set(name, value),
  };
}
