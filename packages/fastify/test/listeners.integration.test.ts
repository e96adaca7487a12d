import { once } from "node:events";
import { concurrency } from "@tidegate/core";
import { describe, expect, it } from "vitest";
import { withPlugin } from "./app.ts";

describe("functions that are called for requests", () => {
  it("take no place away by throwing", async () => {
    let calls = 0;
    const onExceeding = () => {
      if (calls++ === 0) throw new Error("no");
    };
    await withPlugin(
      { policies: [concurrency({ limit: 1 })], onExceeding },
      {
        visit: async (app) => {
          expect(await app.statuses("/", "/", "/")).toEqual([500, 200, 200]);
        },
      },
    );
  });

  it.each(["onExceeding", "onExceeded", "onBanReach"])(
    "may be asynchronous and fail, as %s, and that is said",
    async (name) => {
      const fail = () => Promise.reject(new Error("no"));
      await withPlugin(
        { max: 1, ban: 0, [name]: fail },
        {
          visit: async (app) => {
            const warned = once(process, "warning");
            expect(await app.statuses("/", "/")).toEqual([200, 403]);
            expect(await warned).toMatchObject([
              {
                code: "TIDEGATE_AFTERWARDS_FAILED",
                detail: expect.stringMatching(/^Cause: Error: no\n/),
              },
            ]);
          },
        },
      );
    },
  );
});
