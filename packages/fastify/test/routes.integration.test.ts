import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { CHANNELS, type DecisionEvent, MINUTE } from "@tidegate/core";
import fastify, {
  type FastifyInstance,
  type FastifyPluginAsync,
  type onRequestAsyncHookHandler,
} from "fastify";
import { describe, expect, it } from "vitest";
import { type RateLimitOptions, rateLimit } from "../src/index.ts";
import { answer, clock, withPlugin } from "./app.ts";

/** Routes with options of their own, by their URLs. */
function routes(own: Readonly<Record<string, RateLimitOptions | false | undefined>>) {
  return (server: FastifyInstance): void => {
    for (const [url, options] of Object.entries(own)) {
      const config = options === undefined ? {} : { config: { rateLimit: options } };
      server.get(url, config, answer);
    }
  };
}

describe("routes", () => {
  it("without options of their own share a limit, and the others have theirs", async () => {
    await withPlugin(
      { max: 2 },
      {
        build: routes({ "/a": undefined, "/b": undefined, "/c": { max: 1 }, "/off": false }),
        visit: async (app) => {
          expect(await app.statuses("/a", "/b", "/a")).toEqual([200, 200, 429]);
          expect(await app.statuses("/c", "/c")).toEqual([200, 429]);
          expect(await app.statuses("/off", "/off", "/off")).toEqual([200, 200, 200]);
        },
      },
    );
  });

  it("are limited only where they ask for it with global: false", async () => {
    await withPlugin(
      { global: false, max: 1 },
      {
        build: routes({ "/a": undefined, "/b": {} }),
        visit: async (app) => {
          expect(await app.statuses("/a", "/a", "/b", "/b")).toEqual([200, 200, 200, 429]);
        },
      },
    );
  });

  it("that differ by an expression have a limit each", async () => {
    const own = (host: RegExp, max: number) => ({
      ...{ constraints: { host }, config: { rateLimit: { max } } },
    });
    await withPlugin(
      { global: false },
      {
        build: (server) => {
          server.get("/", own(/^a/, 1), answer);
          server.get("/", own(/^b/, 1), answer);
          server.get("/", own(/^b/i, 2), answer);
        },
        visit: async ({ server }) => {
          const hosts = ["a", "b", "a", "b", "B", "B", "B"];
          const answers = hosts.map((host) => server.inject({ url: "/", headers: { host } }));
          const statuses = (await Promise.all(answers)).map(({ statusCode }) => statusCode);
          expect(statuses).toEqual([200, 200, 429, 429, 200, 200, 429]);
        },
      },
    );
  });

  it("of one group have one budget, also with limits that differ (W4)", async () => {
    const group = { groupId: "otp", max: 2 };
    await withPlugin(
      { max: 100 },
      {
        build: routes({ "/a": group, "/b": group, "/c": { ...group, max: 3 }, "/d": { max: 2 } }),
        visit: async (app) => {
          expect(await app.statuses("/a", "/b", "/a", "/b")).toEqual([200, 200, 429, 429]);
          expect(await app.statuses("/d")).toEqual([200]);
          clock.advance(MINUTE);
          expect(await app.statuses("/a", "/b", "/c", "/c")).toEqual([200, 200, 200, 429]);
        },
      },
    );
  });

  it("of one group compare keys with lists as they are (W5)", async () => {
    const group = { groupId: "otp", max: 0, allowList: ["127.0.0.1"] };
    await withPlugin(
      { validate: false },
      {
        build: routes({ "/a": group }),
        visit: async (app) => {
          expect(await app.statuses("/a", "/a")).toEqual([200, 200]);
        },
      },
    );
  });

  it("take options in the place of those that the plugin has under another name", async () => {
    await withPlugin(
      { limit: 1, windowMs: MINUTE, keyGenerator: () => "all" },
      {
        build: routes({ "/a": { max: 2, timeWindow: "2 minutes", key: () => "mine" } }),
        visit: async (app) => {
          const { headers } = await app.get("/a");
          expect(headers).toMatchObject({ "x-ratelimit-limit": "2", "x-ratelimit-reset": "120" });
        },
      },
    );
  });

  it("have limiters that are called by method and URL, or by group", async () => {
    const names = new Set<string>();
    const note = (event: unknown): void => {
      names.add((event as DecisionEvent).limiter);
    };
    subscribe(CHANNELS.decision, note);
    const group = { groupId: "otp" };
    const path = `/${"long/".repeat(60)}`;
    await withPlugin(
      { name: "api" },
      {
        build: (server) => {
          routes({ "/a": undefined, "/users/:id": {}, "/b": group, "/c": group })(server);
          routes({ "/\u00fc": {}, [path]: {}, "/named": { name: "mine" } })(server);
          server.route({
            ...{ method: ["PUT", "PATCH"], url: "/d", handler: answer },
            config: { rateLimit: {} },
          });
        },
        visit: async ({ server }) => {
          for (const url of ["/a", "/users/7", "/b", "/c", "/%C3%BC", path, "/named"]) {
            expect((await server.inject(url)).statusCode, url).toBe(200);
          }
          await server.inject({ method: "HEAD", url: "/users/7" });
          await server.inject({ method: "PATCH", url: "/d" });
        },
      },
    );
    unsubscribe(CHANNELS.decision, note);
    const [long, ...others] = [...names].sort((one, two) => two.length - one.length);
    expect(others.sort()).toEqual(
      [
        ...["api", "api:GET:/users/:id", "api:HEAD:/users/:id", "api:otp", "api:PUT,PATCH:/d"],
        ...["api:GET:/%C3%BC", "mine"],
      ].sort(),
    );
    expect(long).toMatch(/^api:GET:\/long.*~[\w-]{12}$/);
  });

  it("may have the same URL for different versions", async () => {
    await withPlugin(
      {},
      {
        build: (server) => {
          for (const [version, max] of [
            ["1.0.0", 1],
            ["2.0.0", 2],
          ] as const) {
            const config = { rateLimit: { max } };
            server.get("/", { constraints: { version }, config }, answer);
          }
        },
        visit: async (app) => {
          const limit = async (version: string) =>
            (await app.get("/", { "accept-version": version })).headers["x-ratelimit-limit"];
          expect([await limit("1.0.0"), await limit("2.0.0")]).toEqual(["1", "2"]);
        },
      },
    );
  });

  it("keep hooks that they share with others", async () => {
    const onRequest: onRequestAsyncHookHandler[] = [async () => {}];
    await withPlugin(
      { max: 1 },
      {
        build: (server) => {
          server.get("/a", { onRequest }, answer);
          server.get("/b", { onRequest, config: { rateLimit: false } }, answer);
        },
        visit: async (app) => {
          expect(onRequest).toHaveLength(1);
          expect(await app.statuses("/a", "/a", "/b", "/b")).toEqual([200, 429, 200, 200]);
        },
      },
    );
  });

  it("of a context are not those of another", async () => {
    const server = fastify();
    const part: FastifyPluginAsync = async (limited) => {
      await limited.register(rateLimit, { max: 0, validate: false });
      limited.get("/limited", answer);
    };
    await server.register(part);
    server.get("/free", answer);
    expect((await server.inject("/limited")).statusCode).toBe(429);
    expect((await server.inject("/free")).statusCode).toBe(200);
    expect(server.hasDecorator("rateLimit")).toBe(false);
    await server.close();
  });
});

describe("handlers", () => {
  it("limit requests without a route", async () => {
    await withPlugin(
      { max: 2 },
      {
        build: (server) => {
          server.get("/", answer);
          server.setNotFoundHandler({ preHandler: server.rateLimit() }, (_request, reply) => {
            reply.code(404).send({ hello: "world" });
          });
        },
        visit: async (app) => {
          expect(await app.statuses("/x", "/y", "/z", "/")).toEqual([404, 404, 429, 429]);
        },
      },
    );
  });

  it("apply beside the limit of a registration, and a limit counts a request once (W9)", async () => {
    await withPlugin(
      { max: 100 },
      {
        build: (server) => {
          server.get("/one", { preHandler: server.rateLimit({ max: 1 }) }, answer);
          server.get("/same", { preHandler: server.rateLimit() }, answer);
        },
        visit: async (app) => {
          expect(await app.statuses("/one", "/one")).toEqual([200, 429]);
          expect((await app.get("/same")).headers["x-ratelimit-remaining"]).toBe("97");
        },
      },
    );
  });

  it("apply beside those of other registrations", async () => {
    const server = fastify();
    await server.register(rateLimit, { max: 100, clock });
    await server.register(rateLimit, { max: 3, keyGenerator: () => "all", clock });
    server.get("/", answer);
    server.get("/own", { config: { rateLimit: { max: 50 } } }, answer);
    const statuses: number[] = [];
    for (const url of ["/", "/", "/", "/"]) statuses.push((await server.inject(url)).statusCode);
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect((await server.inject("/own")).headers["x-ratelimit-remaining"]).toBe("49");
    await server.close();
  });

  it("made apart never drain each other (W6)", async () => {
    await withPlugin(
      { global: false },
      {
        build: (server) => {
          server.get("/two", { preHandler: server.rateLimit({ max: 2 }) }, answer);
          server.get("/five", { preHandler: server.rateLimit({ max: 5 }) }, answer);
          const group = { max: 2, groupId: "both" };
          server.get("/a", { preHandler: server.rateLimit(group) }, answer);
          server.get("/b", { preHandler: server.rateLimit(group) }, answer);
        },
        visit: async (app) => {
          expect(await app.statuses("/two", "/two", "/two")).toEqual([200, 200, 429]);
          expect((await app.get("/five")).headers["x-ratelimit-remaining"]).toBe("4");
          expect(await app.statuses("/a", "/b", "/a")).toEqual([200, 200, 429]);
        },
      },
    );
  });

  it("can be called by a hook of the application's own", async () => {
    await withPlugin(
      { global: false },
      {
        build: (server) => {
          const limit = server.rateLimit({ max: 1 });
          server.get(
            "/",
            {
              preHandler: async (request, reply) => {
                await limit.call(server, request, reply);
              },
            },
            answer,
          );
          const api = server.rateLimit({ preset: "api", limit: 1 });
          server.get("/api", async (request, reply) => {
            return (await api.call(server, request, reply)) ?? "admitted";
          });
        },
        visit: async (app) => {
          expect(await app.statuses("/", "/")).toEqual([200, 429]);
          expect(await app.statuses("/api", "/api")).toEqual([200, 429]);
        },
      },
    );
  });
});
