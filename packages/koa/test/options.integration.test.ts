import { createRequire } from "node:module";
import { TidegateError } from "@tidegate/core";
import Koa from "koa";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as exported from "../src/index.ts";
import { type Options, rateLimit } from "../src/index.ts";
import { withApp } from "./app.ts";

const { emitWarning } = process;
let warnings: (string | undefined)[] = [];
let warningTexts: string[] = [];

beforeEach(() => {
  warnings = [];
  warningTexts = [];
  process.emitWarning = ((text: string, { code }: NodeJS.EmitWarningOptions) => {
    warningTexts.push(text);
    warnings.push(code);
  }) as typeof emitWarning;
});
afterEach(() => {
  process.emitWarning = emitWarning;
});

describe("the package", () => {
  it("exports one function by every name", () => {
    expect(exported.default).toBe(rateLimit);
    expect(Reflect.get(rateLimit, "rateLimit")).toBe(rateLimit);
    expect(Reflect.get(rateLimit, "default")).toBe(rateLimit);
  });

  it("takes its framework as a peer and depends on nothing", () => {
    const manifest = createRequire(import.meta.url)("../package.json");
    expect(manifest.dependencies).toBeUndefined();
    expect(Object.keys(manifest.peerDependencies)).toContain("koa");
  });
});

describe("options", () => {
  it.each([
    [{ driver: "redis" }, /'driver' must be "memory".*joinCluster/],
    [{ driver: "memcached" }, /'driver'/],
    [{ db: { incr: () => {} } }, /'db' must be a Map.*joinCluster/],
    [{ max: Number.NaN }, /^'max' must be a number/],
    [{ limit: -1 }, /^'limit' must be/],
    [{ duration: 0 }, /^'duration' must be/],
    [{ whitelist: "192.0.2.1" }, /^'whitelist' must be an array/],
    [{ blacklist: [5] }, /^'blacklist\[0\]' must be an address/],
    [{ status: 99 }, /^'status' must be a whole number/],
    [{ keyGenerator: 5 }, /^'keyGenerator' must be a function/],
    [{ max: 5, policies: [] }, /^give 'policies' or 'max', not both/],
    [{ max: 1, limit: 2 }, /'limit' and 'max' are two names/],
    [{ id: () => "a", key: () => "b" }, /'key' and 'id'/],
    [{ disableHeader: true, legacyHeaders: true }, /'legacyHeaders' and 'disableHeader'/],
    [{ headers: { total: "no header" } }, /'headers.total' must be the name of a header/],
    [{ cluster: {} }, /needs 'name'/],
    [{ id: "ada" }, /^'id' must be a function/],
  ])("that cannot be meant throw: %o", (options, message) => {
    expect(() => rateLimit(options as never)).toThrow(TidegateError);
    expect(() => rateLimit(options as never)).toThrow(message);
  });

  it.each<Options>([
    {},
    { driver: "memory" },
    { db: new Map() },
    { max: 5, limit: 5 },
    { disableHeader: true, legacyHeaders: false },
    { headers: undefined, id: undefined, max: undefined },
    { headers: { remaining: undefined } },
    { namespace: "limit", whitelist: undefined },
    { whitelist: null, blacklist: null, onLimited: null, headers: null, status: null } as never,
    { whitelist: false, blacklist: false, status: 0, errorMessage: null, throw: null } as never,
  ])("of koa-ratelimit that mean nothing or the same are taken: %o", (options) => {
    expect(() => rateLimit(options)).not.toThrow();
    expect(warnings).toEqual([]);
  });

  it.each([null, 100, "api", false, []])("that are %j instead are refused", (given) => {
    expect(() => rateLimit(given as never)).toThrow(TidegateError);
    expect(() => rateLimit(given as never)).toThrow(/^rateLimit takes an options object, got /);
  });

  it("that are numbers as text count as the numbers, with a warning that names them", () => {
    const { limiter } = rateLimit({ max: "5", duration: "60000" } as never);
    expect(limiter.policies).toMatchObject([{ limit: 5, windowMs: 60_000 }]);
    expect(warnings).toEqual(["TIDEGATE_NUMBER_AS_TEXT"]);
    expect(warningTexts).toEqual([expect.stringContaining(`'max' is "5"`)]);
    expect(() => rateLimit({ max: "5 " } as never)).toThrow(/^'max' must be a number/);
    expect(() => rateLimit({ duration: "1e3" } as never)).toThrow(/^'duration' must be/);
  });

  it("that are unknown give one warning, which can be switched off", () => {
    rateLimit({ maxx: 5, tiemout: 3 } as never);
    rateLimit({ maxx: 5, validate: { knownOptions: false } } as never);
    rateLimit({ maxx: 5, validate: false } as never);
    expect(warnings).toEqual(["TIDEGATE_OPTION_UNREAD"]);
  });

  it("that name a network beside a key are said", () => {
    rateLimit({ id: () => "ada", ipv6Subnet: 64 });
    expect(warnings).toEqual(["TIDEGATE_SUBNET_UNREAD"]);
  });
});

describe("safety nets", () => {
  it("find a function that is mounted instead of the middleware that it makes", async () => {
    const app = new Koa();
    const errors: unknown[] = [];
    app.on("error", (error) => errors.push(error.message));
    await withApp(app, [rateLimit as never], async (site) => {
      expect(await site.statuses(1)).toEqual([500]);
    });
    expect(errors).toEqual([
      expect.stringMatching(
        /^rateLimit returns a middleware and is not one: write app.use\(rateLimit/,
      ),
    ]);
    expect(warnings).toEqual([]);
  });

  it("find a limiter that is made for each request", async () => {
    const perRequest: Koa.Middleware = (context, next) => rateLimit({ max: 1 })(context, next);
    await withApp(new Koa(), [perRequest], async (app) => {
      expect(await app.statuses(2)).toEqual([200, 200]);
    });
    expect(warnings).toEqual(["TIDEGATE_MADE_PER_REQUEST"]);
  });

  it("find a request that is counted twice", async () => {
    const limit = rateLimit({ max: 4 });
    await withApp(new Koa(), [limit, limit], async (app) => {
      expect(await app.statuses(3)).toEqual([200, 200, 429]);
    });
    expect(warnings).toEqual(["TIDEGATE_COUNTED_TWICE"]);
  });

  it("leave proxies that write another header alone", async () => {
    const app = new Koa({ proxy: true, proxyIpHeader: "X-Client" });
    await withApp(app, [rateLimit({ max: 1 })], async (site) => {
      expect((await site.get({ "x-client": "192.0.2.1" })).status).toBe(200);
      expect((await site.get({ "x-client": "192.0.2.2" })).status).toBe(200);
    });
    expect(warnings).toEqual([]);
  });
});
