import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import Koa from "koa";
import { describe, expect, it } from "vitest";
import { rateLimit } from "../src/index.ts";

const require = createRequire(import.meta.url);
const readme = readFileSync(join(dirname(require.resolve("koa-ratelimit")), "README.md"), "utf8");
const snippets = Array.from(readme.matchAll(/```js\n([\s\S]*?)```/g), ([, code = ""]) => code)
  .filter((code) => code.includes("koa-ratelimit"))
  .map((code) => ({ code, hasStore: code.includes("redis") }));

/** Runs a snippet with only the package's name changed, in an application that listens nowhere. */
function run(code: string): void {
  class Quiet extends Koa {
    override listen(): never {
      return undefined as never;
    }
  }
  const packages: Record<string, unknown> = {
    ...{ koa: Quiet, "koa-ratelimit": rateLimit, ioredis: class {} },
  };
  new Function("require", code)((name: string) => packages[name]);
}

describe("the snippets of koa-ratelimit's own page", () => {
  it("are there, with stores and without", () => {
    expect(new Set(snippets.map(({ hasStore }) => hasStore))).toEqual(new Set([true, false]));
  });

  it.each(snippets)("run with the other name, or say what to write: %#", (snippet) => {
    if (!snippet.hasStore) run(snippet.code);
    else expect(() => run(snippet.code)).toThrow(/'driver' must be "memory".*joinCluster/);
  });
});
