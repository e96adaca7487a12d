/**
 * Each concept has one name in the sources, and sentences for users name who acts.
 */

import { describe, expect, it } from "vitest";
import { FILES, read, SOURCES, SourceFile, type Words } from "./source-tree.ts";
import { ACTORS_ARE_NAMED, SYNONYMS, type Synonym, UNNAMED_ACTORS } from "./vocabulary.ts";

describe("words", () => {
  it("name each concept in one way", () => {
    const found = SOURCES.flatMap((file) => {
      const words = new SourceFile(file).words();
      return SYNONYMS.filter(({ folders }) => isIn(file, folders)).flatMap((synonym) => {
        const uses = words.filter((words) => usesSynonym(words, synonym));
        const lines = [...new Set(uses.map(({ line }) => line))].sort((a, b) => a - b);
        const advice = `${file}: say '${synonym.say}', not '${synonym.word}'`;
        return lines.length > 0 ? [`${advice} (lines ${lines.join(", ")})`] : [];
      });
    });
    expect(found).toEqual([]);
  });

  it("name who acts, where that is asked for", () => {
    const files = FILES.filter((file) => ACTORS_ARE_NAMED.some((pattern) => pattern.test(file)));
    expect(ACTORS_ARE_NAMED.filter((pattern) => !files.some((file) => pattern.test(file)))).toEqual(
      [],
    );
    const unnamed = new RegExp(`\\b(${UNNAMED_ACTORS.words.join("|")})\\b`, "gi");
    const found = files.flatMap((file) =>
      read(file)
        .split("\n")
        .flatMap((line, index) =>
          (line.match(unnamed) ?? []).map(
            (word) => `${file}:${index + 1}: not '${word}', but who it is: ${UNNAMED_ACTORS.say}`,
          ),
        ),
    );
    expect(found).toEqual([]);
  });
});

function isIn(file: string, folders: readonly string[] | undefined): boolean {
  return folders === undefined || folders.some((folder) => file.includes(`/src/${folder}`));
}

function usesSynonym({ kind, text }: Words, { word, meant, names }: Synonym): boolean {
  if (kind !== "prose" && names?.includes(text) === true) return false;
  const judged = kind === "prose" && meant !== undefined ? text.replace(meant, "") : text;
  return wordsOf(judged).some((used) => used === word || used === `${word}s`);
}

/** The words of a text or an identifier, in lower case: `peerCount` is peer and count. */
function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/);
}
