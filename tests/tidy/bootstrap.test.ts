/**
 * What the npm scripts load before anything is installed needs nothing that is installed.
 */

import { posix } from "node:path";
import { expect, it } from "vitest";
import { read } from "./source-tree.ts";

const IMPORTS =
  /^(?:import|export)\b[^;]*?from "([^"]+)"|^import "([^"]+)"|\bimport\("(\.[^"]+)"\)/gm;

it("the way in for npm scripts loads nothing but Node's own modules and its own files", () => {
  const loaded = new Set<string>();
  const strange: string[] = [];
  const load = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const [, from, bare, later] of read(file).matchAll(IMPORTS)) {
      const name = from ?? bare ?? later ?? "";
      if (name.startsWith(".")) load(posix.join(posix.dirname(file), name));
      else if (!name.startsWith("node:")) strange.push(`${file} imports ${name}`);
    }
  };
  load("scripts/run.mjs");
  expect(loaded.size).toBeGreaterThan(10);
  expect(strange).toEqual([]);
});
