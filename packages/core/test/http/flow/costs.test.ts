import { afterEach, describe, expect, it } from "vitest";
import { concurrency, fixedWindow, MINUTE } from "../../../src/index.ts";
import { Stand } from "../exchange.ts";

afterEach(() => Stand.closeAll());

describe("a gate", () => {
  it("refuses a cost above the limit for good, and sends no wait", () => {
    const policies = [fixedWindow({ name: "a", limit: 2, windowMs: MINUTE })];
    for (const options of [
      { limit: 2, cost: 3 },
      { limit: 2, cost: 3, retryAfter: 7 },
      { limit: () => 2, cost: () => ({ fixedWindow: 3 }) },
      { policies: [...policies, concurrency({ name: "b", limit: 9 })], cost: () => ({ a: 3 }) },
    ]) {
      const { outcome, response } = new Stand(options).enter();
      expect(outcome).toMatchObject({ status: 429, neverPasses: true, retryAfterSeconds: 0 });
      expect(response.get("retry-after")).toBeUndefined();
    }
    for (const options of [
      { limit: 0, cost: 3 },
      { limit: 3, cost: 2 },
    ]) {
      const stand = new Stand({ ...options, windowMs: MINUTE });
      stand.enter();
      const { outcome, response } = stand.enter();
      expect(outcome).toMatchObject({ neverPasses: false, retryAfterSeconds: 60 });
      expect(response.get("retry-after")).toBe("60");
    }
  });
});
