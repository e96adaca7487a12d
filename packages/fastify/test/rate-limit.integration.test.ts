import { concurrency, joinCluster } from "@tidegate/core";
import { memoryNetwork } from "@tidegate/core/testing";
import fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import { describe, expect, it, vi } from "vitest";
import { type RateLimitHook, rateLimit } from "../src/index.ts";
import { clock, withPlugin } from "./app.ts";

const byUser = (request: FastifyRequest): string => String(request.headers["x-user"] ?? "");

describe("limits", () => {
  it("are 1000 in a minute, sent as seconds from now", async () => {
    await withPlugin(
      {},
      {
        visit: async (app) => {
          const { headers } = await app.get();
          expect(headers).toMatchObject({
            ...{ "x-ratelimit-limit": "1000", "x-ratelimit-remaining": "999" },
            "x-ratelimit-reset": "60",
          });
        },
      },
    );
  });

  it.each([
    ["1 minute", 60],
    ["90s", 90],
    ["1.5 h", 5_400],
    [".5 sec", 1],
    ["2 Days", 172_800],
    ["1w", 604_800],
    ["1 yr", 31_557_600],
    ["250", 1],
    [2_000.9, 2],
    [(): number => 5_000, 5],
    [async (): Promise<number> => 7_000, 7],
  ] as const)("have a window of %s", async (timeWindow, seconds) => {
    await withPlugin(
      { max: 1, timeWindow },
      {
        visit: async (app) => {
          const { headers } = await app.get();
          expect(headers["x-ratelimit-reset"]).toBe(String(seconds));
          clock.advance(1_000 * seconds);
          expect((await app.get()).status).toBe(200);
        },
      },
    );
  });

  it("may depend on the request and its key (W16)", async () => {
    const told: unknown[] = [];
    const options = {
      keyGenerator: async (request: FastifyRequest) => byUser(request),
      max: async (_request: FastifyRequest, key: string) => (key === "ada" ? 2 : 1),
      allowList: (_request: FastifyRequest, key: string) => {
        told.push(key);
        return key === "root";
      },
    };
    await withPlugin(options, {
      visit: async (app) => {
        const status = async (user: string) => (await app.get("/", { "x-user": user })).status;
        expect([await status("ada"), await status("ada"), await status("ada")]).toEqual([
          ...[200, 200, 429],
        ]);
        expect([await status("eve"), await status("eve")]).toEqual([200, 429]);
        expect([await status("root"), await status("root")]).toEqual([200, 200]);
        expect(new Set(told)).toEqual(new Set(["ada", "eve", "root"]));
      },
    });
  });

  it.each<RateLimitHook>(["onRequest", "preParsing", "preValidation", "preHandler"])(
    "are asked in the hook %s, behind the route's own and in the same tick",
    async (hook) => {
      const order: string[] = [];
      const note = (name: string) => {
        order.push(name);
      };
      const build = (server: ReturnType<typeof fastify>) => {
        server.post("/", {
          onRequest: async () => note("onRequest"),
          preParsing: async (_request: unknown, _reply: unknown, payload: never) => {
            note("preParsing");
            return payload;
          },
          preValidation: [async () => note("preValidation")],
          preHandler: async () => note("preHandler"),
          handler: async (request: FastifyRequest) => request.body,
        });
      };
      const key = () => {
        note("limit");
        return "ada";
      };
      await withPlugin(
        { max: 1, hook, key },
        {
          build,
          visit: async ({ server }) => {
            const send = () => server.inject({ method: "POST", url: "/", payload: { a: 1 } });
            expect((await send()).json()).toEqual({ a: 1 });
            expect(order[order.indexOf("limit") - 1]).toBe(hook);
            expect((await send()).statusCode).toBe(429);
          },
        },
      );
      const server = fastify();
      await server.register(rateLimit, { max: 1, key: () => "ada" });
      let isNext = false;
      const handler = server.rateLimit() as unknown as (...given: unknown[]) => void;
      handler({ raw: {}, headers: {} }, replyOf(), () => {
        isNext = true;
      });
      expect(isNext).toBe(true);
      await server.close();
    },
  );

  it("show functions the network of the connection where a header has no address (K6)", async () => {
    const told: unknown[] = [];
    const allowList = (_request: FastifyRequest, key: string): boolean => {
      told.push(key);
      return key === "bypass";
    };
    const server = fastify({ trustProxy: true });
    await server.register(rateLimit, { max: 0, allowList, validate: false });
    server.get("/", async () => "admitted");
    const headers = { "x-forwarded-for": "Bypass" };
    const { statusCode } = await server.inject({ url: "/", remoteAddress: "2001:db8::1", headers });
    expect([statusCode, ...told]).toEqual([429, "2001:db8::"]);
    await server.close();
  });

  it("hold over applications of a cluster, which outlives them", async () => {
    const network = memoryNetwork();
    const clusters = [0, 1].map(() => joinCluster({ transport: network.transport() }));
    const [one, two] = clusters;
    await withPlugin(
      { name: "api", max: 3, cluster: one },
      {
        visit: async (first) => {
          await withPlugin(
            { name: "api", max: 3, cluster: two },
            {
              visit: async (second) => {
                await Promise.all(clusters.map(({ ready }) => ready));
                expect(await first.statuses("/", "/")).toEqual([200, 200]);
                const looks = second.server.createRateLimit();
                await vi.waitFor(() => {
                  expect(looks.limiter.inspect("127.0.0.1").results[0]?.used).toBe(2);
                });
                expect(await second.statuses("/", "/")).toEqual([200, 429]);
              },
            },
          );
        },
      },
    );
    // Both applications have closed their limiters, so their names are free again.
    await withPlugin({ name: "api", cluster: one }, { visit: async () => {} });
    for (const cluster of clusters) await cluster.leave();
  });

  it("release permits once, when a response has ended", async () => {
    const policies = [concurrency({ name: "open", limit: 1 })];
    await withPlugin(
      { policies },
      {
        visit: async (app) => {
          expect(await app.statuses("/", "/", "/")).toEqual([200, 200, 200]);
          const { limiter } = app.server.createRateLimit({ max: 1 });
          expect(limiter.policies[0]?.kind).toBe("fixedWindow");
        },
      },
    );
  });
});

function replyOf(): Partial<FastifyReply> {
  const headers = new Map<string, unknown>();
  return {
    raw: { headersSent: false } as never,
    getHeader: (name: string) => headers.get(name) as string,
    header: ((name: string, value: unknown) => headers.set(name, value)) as never,
  };
}
