/**
 * Whether each sabotage still fits the sources and tests that it is about; `npm run test:all` tries them.
 */

import { describe, expect, it } from "vitest";
import { FILES, read } from "./source-tree.ts";

const PLACE = "tests/sabotage/sabotages.json";

interface Sabotage {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly caughtBy: readonly { readonly file: string }[];
}

const sabotages: readonly Sabotage[] = JSON.parse(read(PLACE));

describe("sabotages", () => {
  it("replace text that is there once", () => {
    const found = sabotages.flatMap(({ name, file, from }) => {
      const times = FILES.includes(file) ? read(file).split(from).length - 1 : 0;
      const what = `${PLACE}: '${name}' replaces text that ${file} has ${times} times: update it`;
      return times === 1 ? [] : [what];
    });
    expect(found).toEqual([]);
  });

  it("are caught by tests that are there", () => {
    const found = sabotages.flatMap(({ name, caughtBy }) =>
      caughtBy.length === 0 || caughtBy.some(({ file }) => !FILES.includes(file))
        ? [`${PLACE}: '${name}' has no test, or one in a file that is not there`]
        : [],
    );
    expect(found).toEqual([]);
  });

  it("have a name each", () => {
    expect(new Set(sabotages.map(({ name }) => name)).size).toBe(sabotages.length);
  });
});
