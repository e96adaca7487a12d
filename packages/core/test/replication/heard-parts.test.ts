import { describe, expect, it } from "vitest";
import { HeardParts } from "../../src/replication/heard-parts.ts";

const NOBODY = new Map<string, number>();

describe("the parts of an answer", () => {
  it("are all there when the last and all before it are, in whatever order they come", () => {
    const parts = new HeardParts();
    const page = { since: 3, upTo: 9 };
    expect(parts.hear({ ...page, part: 2, parts: 3 }, NOBODY)).toBeUndefined();
    expect(parts.hear({ ...page, part: 0, parts: 0 }, NOBODY)).toBeUndefined();
    expect(parts.hear({ ...page, part: 0, parts: 0 }, NOBODY)).toBeUndefined();
    expect(parts.hear({ ...page, part: 1, parts: 0 }, NOBODY)).toEqual(NOBODY);
  });

  it("speak for all others that any of them speaks for", () => {
    const parts = new HeardParts();
    parts.hear({ since: 0, upTo: 9, part: 0, parts: 0 }, new Map([["gone", 7]]));
    const others = parts.hear({ since: 0, upTo: 9, part: 1, parts: 2 }, new Map([["left", 2]]));
    expect(Array.from(others ?? [])).toEqual([
      ["gone", 7],
      ["left", 2],
    ]);
  });

  it("of answers that are never ended do not pile up", () => {
    const parts = new HeardParts();
    for (let upTo = 1; upTo <= 5; upTo++) parts.hear({ since: 0, upTo, part: 0, parts: 0 }, NOBODY);
    expect(parts.hear({ since: 0, upTo: 1, part: 1, parts: 2 }, NOBODY)).toBeUndefined();
    expect(parts.hear({ since: 0, upTo: 5, part: 1, parts: 2 }, NOBODY)).toEqual(NOBODY);
  });
});
