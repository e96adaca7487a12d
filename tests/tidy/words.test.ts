/**
 * Each concept has one name in the sources.
 */

import { describe, expect, it } from "vitest";
import { SOURCES, SourceFile } from "./source-tree.ts";
import { SYNONYMS } from "./vocabulary.ts";

describe("words", () => {
  it("name each concept in one way", () => {
    const found = SOURCES.flatMap((file) =>
      new SourceFile(file).words().flatMap(({ kind, text, line }) =>
        SYNONYMS.filter(
          ({ folders }) =>
            folders === undefined || folders.some((folder) => file.includes(`/src/${folder}`)),
        )
          .filter(({ word, meant }) =>
            wordsOf(kind === "prose" && meant ? text.replace(meant, "") : text).some(
              (used) => used === word || used === `${word}s`,
            ),
          )
          .map(({ word, say }) => `${file}:${line}: say '${say}', not '${word}'`),
      ),
    );
    expect(found).toEqual([]);
  });
});

/** The words of a text or an identifier, in lower case: `peerCount` is peer and count. */
function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/);
}
