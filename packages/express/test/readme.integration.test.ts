import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import express from "express";
import { describe, expect, it, vi } from "vitest";
import * as ours from "../src/index.ts";
import { withApp } from "./app.ts";

const require = createRequire(import.meta.url);
const readme = readFileSync(
  join(dirname(require.resolve("express-rate-limit")), "../readme.md"),
  "utf8",
);
const snippets = [...readme.matchAll(/```(?:ts|js|typescript|javascript)\n([\s\S]*?)```/g)]
  .map(([, code = ""]) => code)
  .filter((code) => code.includes("express-rate-limit"));

describe("the snippets of express-rate-limit's own page", () => {
  it("are there", () => {
    expect(snippets.length).toBeGreaterThan(0);
  });

  it.each(snippets)("run with the other import: %#", async (snippet) => {
    // Only the import is another one; what it names comes from our package.
    const body = snippet.replace(
      /import (.+?) from ['"]express-rate-limit['"];?/g,
      (_all, names: string) =>
        `const ${names.startsWith("{") ? names : `{ default: ${names} }`} = ours;`,
    );
    expect(body).not.toContain("import ");
    const warn = vi.spyOn(process, "emitWarning");
    await withApp(
      (app) => {
        new Function("ours", "app", "express", body)(ours, app, express);
      },
      async (app) => {
        const { status, headers } = await app.get();
        expect(status).toBe(200);
        expect(Object.keys(headers).some((name) => name.includes("ratelimit"))).toBe(true);
      },
    );
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });
});
