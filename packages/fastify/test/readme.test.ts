import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { TidegateError } from "@tidegate/core";
import fastify, { type FastifyInstance } from "fastify";
import { describe, expect, it } from "vitest";
import { rateLimit } from "../src/index.ts";

const require = createRequire(import.meta.url);
const readme = readFileSync(
  join(dirname(require.resolve("@fastify/rate-limit")), "README.md"),
  "utf8",
);
const snippets = Array.from(readme.matchAll(/```js\n([\s\S]*?)```/g), ([, code = ""]) => code)
  .filter((code) => /rate-?limit/i.test(code) && /\bfastify\b/.test(code))
  .map((code) => ({ code, hasStore: /\b(redis|store):/.test(code) }));

/** Stands for a client of Redis, of which only the name is needed. */
class Redis {}

/** Runs a snippet with only the package's name changed, in an application that listens nowhere. */
async function run(code: string): Promise<FastifyInstance[]> {
  const made: FastifyInstance[] = [];
  const make = (): FastifyInstance => {
    const app = fastify();
    app.listen = (async () => "") as never;
    made.push(app);
    return app;
  };
  const body = code
    .replaceAll("import('@fastify/rate-limit')", "rateLimit")
    .replace(/^import .*$/gm, "");
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
  const given = {
    ...{ Fastify: make, fastify: make(), rateLimit, Redis, redis: new Redis() },
    request: { method: "GET", ip: "192.0.2.1", headers: {}, raw: {} },
  };
  // What only goes on where another snippet ended has its application from there.
  if (!code.includes("register(")) await given.fastify.register(rateLimit, { global: false });
  await new AsyncFunction(...Object.keys(given), `{ ${body} }`)(...Object.values(given));
  for (const app of made) await app.ready();
  return made;
}

describe("the snippets of @fastify/rate-limit's own page", () => {
  it("are there", () => {
    expect(snippets.length).toBeGreaterThan(10);
    expect(snippets.some(({ hasStore }) => hasStore)).toBe(true);
  });

  it.each(snippets)("run with the other import, or say what to write: %#", async (snippet) => {
    if (snippet.hasStore) {
      await expect(run(snippet.code)).rejects.toThrow(TidegateError);
      await expect(run(snippet.code)).rejects.toThrow(/'(redis|store)' is not supported/);
      return;
    }
    for (const app of await run(snippet.code)) await app.close();
  });
});
