/**
 * Editors show what an option is for wherever it can be given.
 */

import { expect, it } from "vitest";
import { SourceFile } from "./source-tree.ts";

/** Where the options of each adapter are declared, and those that all of them take. */
const FILES = [
  "packages/core/src/http/options/gate-options.ts",
  "packages/express/src/options.ts",
  "packages/koa/src/options.ts",
  "packages/fastify/src/options.ts",
];

it.each(FILES)("%s: every option has a comment that says what it is for", (file) => {
  const options = new SourceFile(file).members().filter(({ name }) => /^\w*Options\./.test(name));
  expect(options.length).toBeGreaterThan(10);
  expect(options.filter(({ told }) => told === "").map(({ name }) => name)).toEqual([]);
});
