/**
 * What first attempts get wrong, and the sentence that each of them gets.
 */

import { afterEach, describe, expect, it, vi } from "vitest";
import { rateLimit } from "../src/index.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a mistake that is warned about", () => {
  it.each([
    [
      { policy: {} },
      "TIDEGATE_OPTION_UNREAD",
      /^Not an option: 'policy' \(did you mean 'policies'/,
    ],
    [
      { validate: { trustproxy: false } },
      "TIDEGATE_SWITCH_UNREAD",
      /^'validate' has 'trustproxy' \(did you mean 'trustProxy'\?\)/,
    ],
  ])("%o", (options, code, message) => {
    const emit = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    rateLimit(options as never);
    expect(emit.mock.calls).toEqual([
      [expect.stringMatching(message), expect.objectContaining({ code })],
    ]);
  });
});

describe("a mistake that throws", () => {
  it("is a key of a form that only functions may answer with, and the words say how to write it", () => {
    const { limiter } = rateLimit();
    expect(() => limiter.block(["acme", "ada"] as never, 1_000)).toThrow(
      /got an array: .*'compositeKey'/,
    );
    expect(() => limiter.peek(42 as never)).toThrow(/got 42: write String\(key\)/);
  });

  it("is a number as text, which gets the words for the number", () => {
    expect(() => rateLimit("100" as never)).toThrow(
      /got "100": write rateLimit\(\{ limit: 100 }\)/,
    );
  });
});
