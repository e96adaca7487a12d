import { MINUTE } from "@tidegate/core";
import { describe, expect, it } from "vitest";
import type { errorResponseBuilderContext } from "../src/index.ts";
import { addRoot, answer, withPlugin } from "./app.ts";

describe("refusals", () => {
  const refused = (options: object): Promise<[number, unknown, Record<string, string>]> =>
    new Promise((resolve, reject) => {
      withPlugin(
        { max: 0, validate: false, ...options },
        {
          visit: async (app) => {
            const { status, body, headers } = await app.get();
            resolve([status, body, headers]);
          },
        },
      ).catch(reject);
    });

  it("are what errorResponseBuilder makes, an error, an object or less", async () => {
    const contexts: errorResponseBuilderContext[] = [];
    const build = (made: unknown) => (_request: unknown, context: errorResponseBuilderContext) => {
      contexts.push(context);
      return made as object;
    };
    const custom = Object.assign(new Error("custom"), { statusCode: 418 });
    const error = { statusCode: 418, error: "I'm a Teapot", message: "custom" };
    expect((await refused({ errorResponseBuilder: build(custom) })).slice(0, 2)).toEqual([
      ...[418, error],
    ]);
    const own = { statusCode: 429, code: "slow" };
    expect((await refused({ errorResponseBuilder: build(own) })).slice(0, 2)).toEqual([429, own]);
    const bare = { code: "slow" };
    expect((await refused({ errorResponseBuilder: build(bare) })).slice(0, 2)).toEqual([429, bare]);
    const text = await refused({ errorResponseBuilder: build("slow down") });
    expect([text[0], text[2]["content-type"]]).toEqual([429, "text/plain; charset=utf-8"]);
    expect((await refused({ errorResponseBuilder: build(undefined) }))[0]).toBe(429);
    const context = { statusCode: 429, ban: false, max: 0, ttl: MINUTE, after: "1 minute" };
    expect(contexts).toEqual(Array(5).fill(context));
  });

  it("are what errorResponseBuilder resolves with, or its error", async () => {
    const own = { statusCode: 429, code: "slow" };
    const later = async () => own;
    expect((await refused({ errorResponseBuilder: later })).slice(0, 2)).toEqual([429, own]);
    const failing = () => Promise.reject(new Error("no catalogue"));
    const [status, body] = await refused({ errorResponseBuilder: failing });
    expect([status, body]).toMatchObject([500, { message: "no catalogue" }]);
    const unlimited = await refused({ errorResponseBuilder: later, keyGenerator: async () => "a" });
    expect(unlimited.slice(0, 2)).toEqual([429, own]);
  });

  it("are thrown, so that an error handler sees them", async () => {
    const seen: unknown[] = [];
    await withPlugin(
      { max: 0, validate: false },
      {
        build: (server) => {
          server.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
            seen.push(error.statusCode);
            reply.code(420).send({ calm: true });
          });
          addRoot(server);
        },
        visit: async (app) => {
          const { status, body } = await app.get();
          expect([status, body]).toEqual([420, { calm: true }]);
          expect(seen).toEqual([429]);
        },
      },
    );
  });

  it("are problem details in the preset api, and those of a builder where there is one", async () => {
    const [status, body, headers] = await refused({ preset: "api", limit: 0, max: undefined });
    expect(status).toBe(429);
    expect(headers["content-type"]).toMatch(/^application\/problem\+json/);
    expect(body).toMatchObject({ status: 429, "violated-policies": ["default"] });
    const errorResponseBuilder = () => ({ statusCode: 429, own: true });
    const built = await refused({ preset: "api", limit: 0, max: undefined, errorResponseBuilder });
    expect(built[1]).toMatchObject({ own: true });
  });

  it("of a list say nothing of limits", async () => {
    const [status, body, headers] = await refused({ max: 5, block: ["127.0.0.1"] });
    expect([status, body]).toEqual([
      403,
      { statusCode: 403, error: "Forbidden", message: "Forbidden" },
    ]);
    expect(headers["retry-after"]).toBeUndefined();
  });

  it("keep headers that were set before, and leave out those that are not wanted", async () => {
    await withPlugin(
      { max: 1, addHeaders: { "retry-after": false, "x-ratelimit-limit": false } },
      {
        build: (server) => {
          server.addHook("onRequest", async (_request, reply) => {
            reply.header("access-control-allow-origin", "*");
          });
          addRoot(server);
        },
        visit: async (app) => {
          expect((await app.get()).headers).toHaveProperty("x-ratelimit-limit", "1");
          const { headers } = await app.get();
          expect(headers["access-control-allow-origin"]).toBe("*");
          expect(headers).not.toHaveProperty("x-ratelimit-limit");
          expect(headers).not.toHaveProperty("retry-after");
          expect(headers).toHaveProperty("x-ratelimit-remaining", "0");
        },
      },
    );
  });

  it("have the names of the draft if configured, on a single route as well (W10)", async () => {
    await withPlugin(
      { max: 5 },
      {
        build: (server) => {
          addRoot(server);
          server.get("/own", { config: { rateLimit: { enableDraftSpec: true } } }, answer);
        },
        visit: async (app) => {
          expect((await app.get()).headers).toHaveProperty("x-ratelimit-limit");
          const { headers } = await app.get("/own");
          expect(headers).toHaveProperty("ratelimit-limit", "5");
          expect(headers).not.toHaveProperty("x-ratelimit-limit");
        },
      },
    );
  });

  it("of a cancelled wait reach the framework as what a function threw", async () => {
    for (const key of [throwsNothing, () => Promise.reject(new Error("no"))]) {
      expect((await refused({ max: 5, key }))[0]).toBe(500);
    }
  });
});

function throwsNothing(): never {
  // biome-ignore lint/style/useThrowOnlyError: users' functions may.
  throw undefined;
}
