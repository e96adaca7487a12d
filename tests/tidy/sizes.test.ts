/**
 * Files and functions stay short, and what is long only becomes shorter.
 */

import { describe, expect, it } from "vitest";
import ratchet from "./ratchet.json" with { type: "json" };
import { CODE, lineCount, read, SourceFile } from "./source-tree.ts";

describe("sizes", () => {
  it("of files stay within the ratchet", () => {
    const sizes = CODE.map((file) => [file, lineCount(read(file))] as const);
    expect(ratcheted("files", ratchet.fileLinesMax, ratchet.files, sizes)).toEqual([]);
  });

  it("of functions stay within the ratchet", () => {
    const sizes = CODE.filter((file) => /^(packages\/[^/]+\/src|scripts)\//.test(file)).flatMap(
      (file) =>
        new SourceFile(file)
          .functions()
          .map(({ name, lines }) => [`${file}#${name}`, lines] as const),
    );
    expect(ratcheted("functions", ratchet.functionLinesMax, ratchet.functions, sizes)).toEqual([]);
  });
});

/**
 * What is larger than it may be, and what has become smaller than the ratchet says: its number is
 * lowered with the same change, so that it never grows back.
 */
function ratcheted(
  table: string,
  max: number,
  exceptions: Readonly<Record<string, number>>,
  sizes: readonly (readonly [string, number])[],
): string[] {
  const largest = new Map<string, number>();
  for (const [name, size] of sizes) largest.set(name, Math.max(size, largest.get(name) ?? 0));
  const grown = [...largest]
    .filter(([name, size]) => size > (exceptions[name] ?? max))
    .map(([name, size]) => {
      const limit = exceptions[name] ?? max;
      return (
        `${name}: ${size} lines, at most ${limit}. Are these two ideas? Then split them. ` +
        `If it is one, enter ${size} in '${table}' of tests/tidy/ratchet.json and commit why.`
      );
    });
  const shrunk = Object.entries(exceptions)
    .filter(([name, limit]) => (largest.get(name) ?? 0) < limit)
    .map(([name]) => {
      const size = largest.get(name) ?? 0;
      const change = size > max ? `lower it to ${size}` : "remove it";
      return `${name}: ${change} in '${table}' of tests/tidy/ratchet.json`;
    });
  return [...grown, ...shrunk];
}
