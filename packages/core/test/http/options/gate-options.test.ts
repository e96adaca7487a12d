import { describe, expect, it } from "vitest";
import { concurrency } from "../../../src/index.ts";
import { Stand } from "../exchange.ts";

describe("options that make no sense together", () => {
  const username = () => "ada";
  it.each([
    { policies: [concurrency({ limit: 1 })], windowMs: 5 },
    { policies: [concurrency({ limit: 1 })], limit: 5 },
    { policies: [concurrency({ limit: 1 })], countIf: () => true },
    { countIf: () => true, charge: () => 1 },
    { countIf: () => true, skipFailedRequests: true },
    { preset: "login" },
    { username },
    { preset: "login", username, key: () => "a" },
    { addressLimit: 5 },
    { onPartition: "open" },
    { problemType: "about:blank" },
    { preset: "login", username, problemType: "about:blank" },
    { partitionKey: () => Uint8Array.of(1) },
    { partitionKey: () => Uint8Array.of(1), standardHeaders: true },
    { preset: "api", limit: 1, standardHeaders: "draft-7", partitionKey: () => Uint8Array.of(1) },
  ] as const)("are refused where they are given: %o", (options) => {
    expect(() => new Stand(options)).toThrow(/TIDEGATE_OPTION_CONFLICT/);
  });

  it.each([
    [{ limit: Number.NaN }, /'limit' must be/],
    [{ limit: "five" as never }, /'limit' must be/],
    [{ windowMs: 0 }, /'windowMs' must be/],
    [{ windowMs: Number.NaN }, /'windowMs' must be/],
    [{ key: "ip" as never }, /'key' must be a function/],
    [{ onError: "ignore" as never }, /'onError' must be one of/],
    [{ retryAfter: 1.5 }, /'retryAfter' must be/],
    [{ ipv6Subnet: 20 }, /'ipv6Subnet' must be/],
    [{ preset: "api" }, /needs 'limit'/],
    [{ preset: "api", limit: 1, name: "é" }, /printable ASCII/],
    [{ cluster: {} as never }, /needs 'name'/],
    [{ preset: "api", limit: 1, problemType: 5 }, /'problemType' must be a URI/],
    [{ preset: "api", limit: 1, problemType: "" }, /'problemType' must be a URI/],
    [{ identifier: 5 }, /'identifier' must be a name/],
    [{ identifier: "é" }, /'identifier' must be printable ASCII/],
    [{ partitionKey: { secret: "short" } }, /at least 16 bytes/],
    [{ partitionKey: { secret: "x".repeat(16), bytes: 8 } }, /9 or 12/],
  ] as const)("and values that are none: %o (W24)", (options, message) => {
    expect(() => new Stand({ standardHeaders: "draft-11", ...options } as never)).toThrow(message);
  });
});
