/**
 * The pages of the examples: each is listed, has one command before all others, and is tested.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const FOLDER = fileURLToPath(new URL("..", import.meta.url));
const SKIPPED = ["node_modules", "test"];

const read = (file: string): string => readFileSync(FOLDER + file, "utf8");

/** Folders with a page of their own, `migrating/koa-ratelimit` among them. */
function examplesIn(folder: string): string[] {
  return readdirSync(FOLDER + folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !SKIPPED.includes(entry.name))
    .flatMap(({ name }) => {
      const path = `${folder}${name}`;
      return [
        ...(existsSync(`${FOLDER}${path}/README.md`) ? [path] : []),
        ...examplesIn(`${path}/`),
      ];
    });
}

const examples = examplesIn("");
const tests = readdirSync(`${FOLDER}test`)
  .filter((file) => file.endsWith(".integration.test.ts") || file === "compose.test.ts")
  .map((file) => read(`test/${file}`))
  .join("\n");

describe("the examples", () => {
  it("are all found", () => {
    expect(examples.length).toBeGreaterThan(12);
    expect(examples).toContain("migrating/rate-limiter-flexible");
  });

  it.each(examples)("%s is listed, and has a test", (name) => {
    expect(read("README.md")).toContain(`](${name}/README.md)`);
    const own = name.split("/").at(-1) ?? "";
    expect(tests).toMatch(new RegExp(`["/]${own}[":/]`));
  });

  it.each(examples)("%s has one command to begin with", (name) => {
    const [, first = ""] = /^```sh\n([\s\S]*?)^```$/m.exec(read(`${name}/README.md`)) ?? [];
    const command = first.trim().split("\n");
    expect(command.length).toBe(1);
    const [, file = ""] = /\bexamples\/(\S+)/.exec(command[0] ?? "") ?? [];
    expect(file.startsWith(`${name}/`)).toBe(true);
    expect(existsSync(FOLDER + file)).toBe(true);
  });

  it.each(examples)("%s names the address that it listens at", (name) => {
    for (const file of readdirSync(`${FOLDER}${name}`)) {
      expect(read(`${name}/${file}`)).not.toMatch(/\blocalhost\b/);
    }
  });

  it.each(examples)("%s has the types checked of what uses a package of ours", (name) => {
    for (const file of readdirSync(`${FOLDER}${name}`).filter((file) => file.endsWith(".mjs"))) {
      const text = read(`${name}/${file}`);
      if (text.includes('from "@tidegate/')) expect(text).toMatch(/^\/\/ @ts-check$/m);
    }
  });
});
