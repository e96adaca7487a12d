/**
 * The examples of migrating: what was before and what is after answer alike, side by side.
 */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Answer } from "./asking.ts";
import { RunningExample } from "./running-example.ts";

/** What a client sees of a refusal that is different on purpose, or that time changes. */
const CHANGES = ["date", "etag", "x-ratelimit-reset", "ratelimit", "retry-after"];
const REFUSAL_ONLY = ["cache-control", "etag"];

const CASES = [
  { name: "express-rate-limit", isImportOnly: true, retryAfter: 900 },
  { name: "koa-ratelimit", isImportOnly: true, retryAfter: 900 },
  { name: "fastify-rate-limit", isImportOnly: true, retryAfter: 900 },
  { name: "rate-limiter-flexible", isImportOnly: false, retryAfter: 60 },
];

describe.concurrent("migrating from", () => {
  it.for(CASES)("$name answers alike", async ({ name, retryAfter }, { onTestFinished }) => {
    const servers = await Promise.all(
      [1, 0].map(async (command) => {
        const server = await RunningExample.start(`migrating/${name}`, { command });
        onTestFinished(() => server.stop());
        return server;
      }),
    );
    for (let asked = 1; asked <= 7; asked++) {
      const [before, after] = await Promise.all(servers.map((server) => server.ask()));
      expect(after!.status).toBe(asked > 5 ? 429 : 200);
      expect(seen(after!)).toEqual(seen(before!));
      if (asked > 5) {
        for (const { headers } of [before!, after!]) {
          expect(Math.abs(Number(headers["retry-after"]) - retryAfter)).toBeLessThanOrEqual(5);
        }
      }
    }
  });

  it.for(CASES.filter(({ isImportOnly }) => isImportOnly))(
    "$name changes an import",
    ({ name }) => {
      const [before, after] = ["before", "after"].map((file) => linesOf(`${name}/${file}.mjs`));
      expect(after!.length).toBe(before!.length);
      const changed = after!.filter((line, index) => line !== before![index]);
      expect(changed.filter((line) => !line.startsWith("import "))).toEqual([]);
      expect(changed.some((line) => line.includes("@tidegate/"))).toBe(true);
    },
  );
});

function seen({ status, headers, text }: Answer): object {
  const names = Object.keys(headers).filter(
    (name) => !CHANGES.includes(name) && !(status === 429 && REFUSAL_ONLY.includes(name)),
  );
  return { status, text, headers: Object.fromEntries(names.map((name) => [name, headers[name]])) };
}

/** Without the comment that asks for a check of types. */
function linesOf(file: string): string[] {
  const text = readFileSync(new URL(`../migrating/${file}`, import.meta.url), "utf8");
  return text.replace("// @ts-check\n\n", "").split("\n");
}
