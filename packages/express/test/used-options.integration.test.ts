import expressRateLimit from "express-rate-limit";
import { describe, expect, it } from "vitest";
import { type Options, type RateLimitOptions, rateLimit } from "../src/index.ts";
import { withApp } from "./app.ts";

/** The options that the handler of a limiter receives with its first refusal. */
async function told(options: RateLimitOptions, make: typeof rateLimit = rateLimit) {
  let used: Options | undefined;
  const handler: Options["handler"] = (_request, response, _next, options) => {
    used = options;
    response.end();
  };
  await withApp([make({ limit: 0, validate: false, ...options, handler })], async (app) => {
    await app.get();
  });
  return used;
}

describe("the options that a handler receives", () => {
  it("are all of those that express-rate-limit passes, of the same types", async () => {
    const types = (options: object = {}) =>
      Object.fromEntries(Object.entries(options).map(([name, value]) => [name, typeof value]));
    const known = types(await told({}, expressRateLimit as unknown as typeof rateLimit));
    expect(Object.keys(known)).toContain("skip");
    expect(types(await told({}))).toMatchObject(known);
  });

  it("show the defaults of options that were not given", async () => {
    const seen: unknown[] = [];
    const handler: Options["handler"] = async (request, response, _next, options) => {
      const key = String(await options.keyGenerator?.(request, response));
      const { store, identifier, skip, requestWasSuccessful } = options;
      seen.push(key, typeof identifier === "function" && identifier(request, response));
      seen.push(skip(request, response), requestWasSuccessful(request, response));
      if ("increment" in store) {
        await store.increment(key);
        seen.push((await store.get?.(key))?.totalHits);
        await store.decrement(key);
        seen.push((await store.get?.(key))?.totalHits);
        await store.resetKey(key);
        seen.push(await store.get?.(key));
      }
      response.end();
    };
    await withApp([rateLimit({ limit: 1, windowMs: 90_000, handler })], async (app) => {
      await app.statuses(2);
      expect(seen).toEqual(["127.0.0.1", "1-in-1.5min", false, true, 3, 2, undefined]);
      expect(await app.statuses(1)).toEqual([200]);
    });
  });

  it("make the key that was counted, whatever a proxy is believed", async () => {
    const keys: unknown[] = [];
    const handler: Options["handler"] = async (request, response, _next, options) => {
      keys.push(await options.keyGenerator?.(request, response));
      response.end();
    };
    const limiter = rateLimit({
      ...{ limit: 0, validate: false, onPermissiveProxy: "socket", handler },
    });
    const visit: Parameters<typeof withApp>[1] = async (app) => {
      await app.get("/", { "x-forwarded-for": "192.0.2.1" });
    };
    await withApp((app) => app.set("trust proxy", true).use(limiter), visit);
    expect(keys).toEqual(["127.0.0.1"]);
  });

  it("are those that were given, if they were", async () => {
    const given = { skip: async () => false, keyGenerator: () => "ada", identifier: "mine" };
    const validate = { limit: false };
    const used = await told({ ...given, standardHeaders: true, logger: console, validate });
    expect(used).toMatchObject({ ...given, standardHeaders: "draft-6", logger: console });
    expect(used?.validate).toEqual({ default: true, limit: false });
  });
});
