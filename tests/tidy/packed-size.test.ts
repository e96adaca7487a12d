/**
 * The check of packed sizes fails where a package is too large, has too many files, or has no bounds.
 */

import { expect, it } from "vitest";

const { oversized } = await import(new URL("../../scripts/packed-size.mjs", import.meta.url).href);

const NAMES = ["core", "express", "fastify", "koa", "nats-transport"];

interface Packed {
  name: string;
  size: number;
  entryCount: number;
}

function packed(change: Partial<Packed> = {}): Packed[] {
  return NAMES.map((name, index) => ({
    name: `@tidegate/${name}`,
    size: 20_000,
    entryCount: 7,
    ...(index === 0 && change),
  }));
}

it("accepts packages within their bounds", () => {
  expect(oversized(packed())).toEqual([]);
});

it.each([
  ["too many bytes", { size: 150_001 }, /^@tidegate\/core is packed to 150001 bytes/],
  ["too many files", { entryCount: 61 }, /^@tidegate\/core has 61 files/],
  ["no bounds", { name: "@tidegate/new" }, /^@tidegate\/new has no bounds/],
])("refuses a package with %s", (_what, change, problem) => {
  expect(oversized(packed(change))).toEqual([expect.stringMatching(problem)]);
});

it("refuses a result in which a package is missing", () => {
  expect(oversized(packed().slice(1))).toEqual(["not every package was packed"]);
});
