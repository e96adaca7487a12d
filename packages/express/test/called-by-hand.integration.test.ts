import { MINUTE } from "@tidegate/core";
import type { RequestHandler } from "express";
import { describe, expect, it } from "vitest";
import { type RateLimitOptions, rateLimit } from "../src/index.ts";
import { withApp } from "./app.ts";

describe("code that calls the middleware directly", () => {
  it("have awaited all of it, and find the request passed on or refused", async () => {
    const steps: string[] = [];
    const later = async <Answer>(answer: Answer, step: string): Promise<Answer> => {
      await new Promise((resolve) => setImmediate(resolve));
      steps.push(step);
      return answer;
    };
    const store = {
      increment: () => later({ totalHits: 9, resetTime: new Date(Date.now() + MINUTE) }, "store"),
      decrement: () => {},
      resetKey: () => {},
    };
    for (const [options, expected] of [
      [{}, ["next"]],
      [{ limit: 0 }, []],
      [{ keyGenerator: () => later("k", "key") }, ["key", "next"]],
      [{ limit: 0, keyGenerator: () => later("k", "key") }, ["key"]],
      [{ store }, ["store"]],
      [{ limit: 0, message: () => later("no", "message") }, ["message"]],
      [{ limit: 0, handler: (_req, res) => later(res.send("no"), "handler") }, ["handler"]],
      [
        { limit: 0, handler: async (_req, _res, next) => later(next(), "handler") },
        ["next", "handler"],
      ],
      [
        {
          skip: () =>
            later(true, "skip").then((): never => {
              throw new Error("no");
            }),
        },
        ["skip", "no"],
      ],
    ] satisfies [RateLimitOptions, string[]][]) {
      steps.length = 0;
      const middleware = rateLimit({ validate: false, ...options } as RateLimitOptions);
      const sees: RequestHandler = async (request, response) => {
        await middleware(request, response, (error) => steps.push(error?.message ?? "next"));
        steps.push("awaited");
        if (!response.headersSent) response.send("handler");
      };
      await withApp([], async (app) => void (await app.get()), sees);
      expect(steps).toEqual([...expected, "awaited"]);
    }
  });
});
