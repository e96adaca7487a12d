import { describe, expect, it } from "vitest";
import { ReplyParts, ReplyPartsBudget } from "../../../src/protocol/anti-entropy/reply-parts.ts";
import type { FramesKnown } from "../../../src/protocol/receive/received-frames.ts";

const NO_OTHERS = new Map<string, FramesKnown>();

function upTo(number: number): FramesKnown {
  return { upTo: number, above: 0 };
}

function gathering(): ReplyParts {
  return new ReplyParts(new ReplyPartsBudget(() => {}));
}

describe("the parts of a reply", () => {
  it("are complete when the last and all before it have arrived, in any order", () => {
    const parts = gathering();
    const page = { since: 3, upTo: 9, replyNumber: 1 };
    expect(parts.add({ ...page, part: 2, parts: 3 }, NO_OTHERS)).toBeUndefined();
    expect(parts.add({ ...page, part: 0, parts: 0 }, NO_OTHERS)).toBeUndefined();
    expect(parts.add({ ...page, part: 0, parts: 0 }, NO_OTHERS)).toBeUndefined();
    expect(parts.add({ ...page, part: 1, parts: 0 }, NO_OTHERS)).toEqual(NO_OTHERS);
  });

  it("report on all replicas that any of them reports on", () => {
    const parts = gathering();
    const page = { since: 0, upTo: 9, replyNumber: 1 };
    parts.add({ ...page, part: 0, parts: 0 }, new Map([["gone", upTo(7)]]));
    const others = parts.add({ ...page, part: 1, parts: 2 }, new Map([["left", upTo(2)]]));
    expect(Array.from(others ?? [])).toEqual([
      ["gone", upTo(7)],
      ["left", upTo(2)],
    ]);
  });

  it("do not pile up if their replies never end", () => {
    const parts = gathering();
    const page = { since: 0, replyNumber: 1 };
    for (let upTo = 1; upTo <= 5; upTo++)
      parts.add({ ...page, upTo, part: 0, parts: 0 }, NO_OTHERS);
    expect(parts.add({ ...page, upTo: 1, part: 1, parts: 2 }, NO_OTHERS)).toBeUndefined();
    expect(parts.add({ ...page, upTo: 5, part: 1, parts: 2 }, NO_OTHERS)).toEqual(NO_OTHERS);
  });

  it("are not a whole together with parts of a repeated reply", () => {
    const parts = gathering();
    const page = { since: 3, upTo: 9 };
    // Of the first reply all but the first part is lost, of the second the first part.
    parts.add({ ...page, replyNumber: 1, part: 0, parts: 0 }, new Map([["gone", upTo(7)]]));
    parts.add({ ...page, replyNumber: 2, part: 1, parts: 0 }, NO_OTHERS);
    expect(parts.add({ ...page, replyNumber: 2, part: 2, parts: 3 }, NO_OTHERS)).toBeUndefined();
    expect(parts.add({ ...page, replyNumber: 2, part: 0, parts: 0 }, NO_OTHERS)).toEqual(NO_OTHERS);
  });

  it("are as many as their own reply says, however many another reply has", () => {
    const parts = gathering();
    const page = { since: 3, upTo: 9 };
    parts.add({ ...page, replyNumber: 1, part: 1, parts: 2 }, NO_OTHERS);
    expect(parts.add({ ...page, replyNumber: 2, part: 0, parts: 0 }, NO_OTHERS)).toBeUndefined();
    expect(parts.add({ ...page, replyNumber: 2, part: 1, parts: 0 }, NO_OTHERS)).toBeUndefined();
    expect(parts.add({ ...page, replyNumber: 2, part: 2, parts: 3 }, NO_OTHERS)).toEqual(NO_OTHERS);
  });
});
