/**
 * Whether the tests that docs/internals/defects-of-others.md names are there, and those that name a row of
 * docs/reference/defects-of-middleware.md: none may disappear without a word.
 */

import { expect, it } from "vitest";
import { CODE, read } from "./source-tree.ts";

const PAGE = "docs/internals/defects-of-others.md";

/** The titles in the last column of each row. */
function titles(): string[] {
  const rows = read(PAGE)
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| ---"));
  return rows.flatMap((row) => {
    const last = row.split(" | ").at(-1) ?? "";
    return Array.from(last.matchAll(/`([^`]+)`/g), ([, title]) => title ?? "");
  });
}

it("the defects of others have the tests that their page names", () => {
  const tests = CODE.filter((file) => /\.test\.ts$/.test(file) && !file.startsWith("tests/tidy/"));
  const text = tests.map((file) => read(file)).join("\n");
  const named = titles();
  expect(named.length).toBeGreaterThan(45);
  expect(named.filter((title) => !text.includes(title))).toEqual([]);
});

it("the defects of middleware are named by a test each", () => {
  const page = read("docs/reference/defects-of-middleware.md");
  const promised = Array.from(page.matchAll(/^\| (W\d+) \|/gm), ([, id]) => id ?? "");
  const shown = CODE.filter((file) => /\.test\.ts$|-cases\.ts$/.test(file)).map((file) =>
    read(file),
  );
  const named = new Set(shown.flatMap((text) => text.match(/\bW\d+\b/g) ?? []));
  expect(promised.length).toBeGreaterThan(30);
  expect(promised.filter((id) => !named.has(id))).toEqual([]);
});
