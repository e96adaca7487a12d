/**
 * What first attempts get wrong, and the sentence that each of them gets.
 */

import fastify from "fastify";
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
  ])("%o", async (options, code, message) => {
    const emit = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const server = fastify();
    await server.register(rateLimit, options as never);
    await server.close();
    expect(emit.mock.calls).toEqual([
      [expect.stringMatching(message), expect.objectContaining({ code })],
    ]);
  });
});
