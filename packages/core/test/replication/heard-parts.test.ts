import { describe, expect, it } from "vitest";
import { HeardParts } from "../../src/replication/heard-parts.ts";

const NOBODY = new Map<string, number>();

describe("the parts of an answer", () => {
  it("are all there when the last and all before it are, in whatever order they come", () => {
    const parts = new HeardParts();
    const page = { since: 3, upTo: 9 };
    expect(parts.hear({ ...page, part: 2, parts: 3 }, NOBODY, 5)).toBeUndefined();
    expect(parts.hear({ ...page, part: 0, parts: 0 }, NOBODY, 5)).toBeUndefined();
    expect(parts.hear({ ...page, part: 0, parts: 0 }, NOBODY, 5)).toBeUndefined();
    expect(parts.hear({ ...page, part: 1, parts: 0 }, NOBODY, 5)).toEqual(NOBODY);
  });

  it("speak for all others that any of them speaks for", () => {
    const parts = new HeardParts();
    parts.hear({ since: 0, upTo: 9, part: 0, parts: 0 }, new Map([["gone", 7]]), 5);
    const others = parts.hear({ since: 0, upTo: 9, part: 1, parts: 2 }, new Map([["left", 2]]), 5);
    expect(Array.from(others ?? [])).toEqual([
      ["gone", 7],
      ["left", 2],
    ]);
  });

  it("of answers that are never ended do not pile up", () => {
    const parts = new HeardParts();
    for (let upTo = 1; upTo <= 5; upTo++)
      parts.hear({ since: 0, upTo, part: 0, parts: 0 }, NOBODY, 5);
    expect(parts.hear({ since: 0, upTo: 1, part: 1, parts: 2 }, NOBODY, 5)).toBeUndefined();
    expect(parts.hear({ since: 0, upTo: 5, part: 1, parts: 2 }, NOBODY, 5)).toEqual(NOBODY);
  });

  it("do not make a whole with those of another telling of the same", () => {
    const parts = new HeardParts();
    const page = { since: 3, upTo: 9 };
    // Of the first telling the last part but one is lost, of the second all after the first.
    parts.hear({ ...page, part: 0, parts: 0 }, NOBODY, 10);
    parts.hear({ ...page, part: 2, parts: 3 }, NOBODY, 12);
    expect(parts.hear({ ...page, part: 0, parts: 0 }, NOBODY, 20)).toBeUndefined();
    expect(parts.hear({ ...page, part: 1, parts: 0 }, NOBODY, 21)).toBeUndefined();
    expect(parts.hear({ ...page, part: 2, parts: 3 }, NOBODY, 21)).toEqual(NOBODY);
  });

  it("are told apart by any part that comes of both", () => {
    const parts = new HeardParts();
    const page = { since: 3, upTo: 9 };
    for (const part of [0, 1]) parts.hear({ ...page, part, parts: 0 }, NOBODY, 10);
    parts.hear({ ...page, part: 1, parts: 0 }, NOBODY, 20);
    expect(parts.hear({ ...page, part: 2, parts: 3 }, NOBODY, 20)).toBeUndefined();
  });
});
