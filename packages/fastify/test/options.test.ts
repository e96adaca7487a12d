import { TidegateError } from "@tidegate/core";
import fastify, { type FastifyPluginAsync, type FastifyServerOptions } from "fastify";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as exported from "../src/index.ts";
import { normalizeIP, type RateLimitOptions, rateLimit } from "../src/index.ts";

const { emitWarning } = process;
let warnings: (string | undefined)[] = [];

beforeEach(() => {
  warnings = [];
  process.emitWarning = ((_text: string, { code }: NodeJS.EmitWarningOptions) => {
    warnings.push(code);
  }) as typeof emitWarning;
});
afterEach(() => {
  process.emitWarning = emitWarning;
});

async function register(options: object, server = fastify()): Promise<typeof server> {
  await server.register(rateLimit, options as never);
  return server;
}

describe("the package", () => {
  it("exports one plugin by every name, and what @fastify/rate-limit has beside it", () => {
    for (const name of ["rateLimit", "fastifyRateLimit", "default"]) {
      expect(Reflect.get(exported, name), name).toBe(rateLimit);
      expect(Reflect.get(rateLimit, name), name).toBe(rateLimit);
    }
    expect(Reflect.get(rateLimit, "normalizeIP")).toBe(normalizeIP);
  });

  it.each([
    ["192.0.2.1", undefined, "192.0.2.1"],
    ["::ffff:192.0.2.1", 64, "192.0.2.1"],
    ["2001:DB8:1:2:3:4:5:6", undefined, "2001:db8:1:2::"],
    ["2001:db8:1:2:3:4:5:6", 56, "2001:db8:1::"],
    ["2001:db8:1:2:3:4:5:6", 128, "2001:db8:1:2:3:4:5:6"],
    ["::1", 64, "::"],
    ["Not An Address", 64, "not an address"],
  ])("makes %s, of %s bits, to %s", (ip, subnet, key) => {
    expect(normalizeIP(ip, subnet)).toBe(key);
  });
});

describe("options", () => {
  it.each([
    [{ redis: {} }, /'redis' is not supported.*joinCluster/],
    [{ store: class {} }, /'store' is not supported.*joinCluster/],
    [{ max: Number.NaN }, /^'max' must be a number/],
    [{ max: "1e3" }, /^'max'/],
    [{ limit: -1 }, /^'limit'/],
    [{ timeWindow: 0 }, /^'timeWindow'/],
    [{ identifier: "é", standardHeaders: "draft-8" }, /^'identifier' must be printable ASCII/],
    [{ timeWindow: "soon" }, /'timeWindow' must be milliseconds or a duration/],
    [{ timeWindow: "-1 minute" }, /'timeWindow'/],
    [{ timeWindow: 1_000, windowMs: 2_000 }, /'windowMs' and 'timeWindow' are two names/],
    [{ max: 1, limit: 2 }, /'limit' and 'max' are two names/],
    [{ hook: "onSend" }, /'hook' must be one of onRequest/],
    [{ ban: "2" }, /'ban' must be a number/],
    [{ groupId: 7 }, /'groupId' must be a name/],
    [{ global: "yes" }, /'global' must be true or false/],
    [{ onExceeded: {} }, /'onExceeded' must be a function/],
    [{ ipv6Subnet: 129 }, /'ipv6Subnet' must be a whole number from 0 to 128/],
    [{ cluster: {} }, /needs 'name'/],
    [{ keyGenerator: "ip" }, /^'keyGenerator' must be a function/],
  ])("that cannot be meant throw: %o", async (options, message) => {
    await expect(register(options)).rejects.toThrow(TidegateError);
    await expect(register(options)).rejects.toThrow(message);
  });

  it.each([
    { cache: 10_000, skipOnError: true, nameSpace: "limit-", redis: null },
    { prefix: "/api", logLevel: "warn", logSerializers: {} },
    { max: undefined, timeWindow: undefined, keyGenerator: undefined, store: undefined },
    { max: 5, limit: 5, timeWindow: "1 minute", windowMs: 60_000 },
    { ban: -1, ipv6Subnet: 0 },
    { max: null, timeWindow: null, allowList: null, keyGenerator: null, ban: null, hook: null },
    { errorResponseBuilder: null, onExceeding: null, onExceeded: null, onBanReach: null },
    { addHeaders: null, addHeadersOnExceeding: null, enableDraftSpec: null, global: null },
    { continueExceeding: null, exponentialBackoff: null, groupId: null, ipv6Subnet: null },
  ])("that mean nothing or the same are taken: %o", async (options) => {
    await register(options);
    expect(warnings).toEqual([]);
  });

  it.each([
    [{ max: "2", timeWindow: "60000" }, {}],
    [{ max: "2", groupId: "all" }, {}],
    [{}, { limit: "2", windowMs: "60000" }],
    [{}, { max: "2", groupId: "some" }],
    [{}, { max: async () => "2", timeWindow: () => "60000" }],
  ])(
    "that are numbers as text count as the numbers, with one warning: %o, %o",
    async (plugin, route) => {
      const server = await register(plugin);
      server.get("/", { config: { rateLimit: route as never } }, async () => "");
      const statuses: number[] = [];
      for (let index = 0; index < 3; index++) statuses.push((await server.inject("/")).statusCode);
      expect(statuses).toEqual([200, 200, 429]);
      expect(warnings).toEqual(["TIDEGATE_NUMBER_AS_TEXT"]);
    },
  );

  it("of routes, handlers and questions are checked like those of the plugin", async () => {
    const server = await register({ global: false });
    const route = (own: unknown) => () =>
      server.get("/", { config: { rateLimit: own as RateLimitOptions } }, async () => "");
    expect(route({ max: Number.NaN })).toThrow(/^'max' must be a number/);
    expect(route({ store: class {} })).toThrow(/'store' is not supported/);
    expect(route(5)).toThrow(/'config.rateLimit' must be an object or false/);
    expect(() => server.rateLimit({ max: -1 })).toThrow(/^'max'/);
    expect(() => server.rateLimit({ timeWindow: -1 })).toThrow(/^'timeWindow'/);
    expect(() => server.createRateLimit({ id: 5 as never })).toThrow(/^'id' must be a function/);
    expect(() => server.createRateLimit({ store: class {} as never })).toThrow(/'store'/);
    expect(() => server.createRateLimit({ timeWindow: "soon" })).toThrow(/'timeWindow'/);
  });

  it("that are no object, or are given where the plugin itself is, have different errors", async () => {
    const server = await register({ global: false });
    const route = (own: unknown) => () =>
      server.get("/", { config: { rateLimit: own as RateLimitOptions } }, async () => "");
    expect(route(() => 10)).toThrow(
      /'config.rateLimit' must be an object or false, .*such as \{ max: \(request, key\) => 10 \}, got a function/,
    );
    expect(route(true)).toThrow(/'config.rateLimit' must be an object or false.*, got true/);
    expect(() => server.rateLimit(100 as never)).toThrow(
      /^rateLimit takes an options object, got 100/,
    );
    expect(() => server.createRateLimit("api" as never)).toThrow(
      /^createRateLimit takes an options object/,
    );
    await expect(register(100 as never)).rejects.toThrow(/^rateLimit takes an options object/);
    expect(() => server.rateLimit(null as never)).not.toThrow();
    const asHook = Reflect.apply(rateLimit, undefined, [{}, {}]) as Promise<void>;
    await expect(asHook).rejects.toThrow(/'rateLimit' is a plugin: write app.register\(rateLimit/);
  });

  it("of a handler that is not made, but given itself, are refused at each request", async () => {
    const server = await register({ global: false });
    server.get("/", { preHandler: server.rateLimit as never }, async () => "");
    const { statusCode, body } = await server.inject("/");
    expect(statusCode).toBe(500);
    expect(body).toMatch(/'rateLimit' makes a handler: write rateLimit\(\)/);
  });

  it.each([null, false, ""])(
    "of routes that are null put back what is usual, as an allowList of %j does",
    async (allowList) => {
      const server = await register({ max: 0, allowList: ["127.0.0.1"], validate: false });
      const rateLimit = { allowList } as never;
      server.get("/own", { config: { rateLimit } }, async () => "");
      server.get("/", { config: { rateLimit: {} } }, async () => "");
      expect((await server.inject("/own")).statusCode).toBe(429);
      expect((await server.inject("/")).statusCode).toBe(200);
    },
  );

  it("that do nothing beside a level's own choices are left to the others", async () => {
    const partitionKey = () => Uint8Array.of(1);
    const server = await register({
      preset: "api",
      limit: 1,
      partitionKey,
      problemType: "about:x",
    });
    const route = (rateLimit: object) => () =>
      server.get("/", { config: { rateLimit } }, async () => "");
    expect(route({ preset: "login", username: () => "ada" })).not.toThrow();
    expect(() => server.rateLimit({ preset: "parity", problemType: "about:x" })).toThrow(
      /'problemType' needs the preset 'api'/,
    );
    await expect(register({ partitionKey })).rejects.toThrow(/'partitionKey' needs 'standardHead/);
  });

  it("that are unknown give one warning, which can be switched off", async () => {
    await register({ maxx: 5 });
    await register({ maxx: 5, validate: { knownOptions: false } });
    await register({ maxx: 5, validate: false });
    expect(warnings).toEqual(["TIDEGATE_OPTION_UNREAD"]);
  });
});

describe("lists", () => {
  const reaches = async (options: object, ip: string): Promise<boolean> => {
    const server = fastify({ trustProxy: "loopback" });
    await register({ max: 0, validate: false, ...options }, server);
    server.get("/", async () => "");
    const { statusCode } = await server.inject({ url: "/", headers: { "x-forwarded-for": ip } });
    return statusCode === 200;
  };

  it("have addresses, networks, and keys as users know them", async () => {
    const allowList = ["192.0.2.1", "2001:db8:1:2::", "198.51.100.0/24"];
    expect(await reaches({ allowList }, "192.0.2.1")).toBe(true);
    expect(await reaches({ allowList }, "2001:db8:1:2:3::4")).toBe(true);
    expect(await reaches({ allowList }, "198.51.100.7")).toBe(true);
    expect(await reaches({ allowList }, "192.0.2.2")).toBe(false);
    expect(await reaches({ allowList }, "2001:db8:1:3::")).toBe(false);
  });

  it("named allowList are compared with keys alone, where keys are not addresses", async () => {
    const keyGenerator = () => "ada";
    expect(await reaches({ keyGenerator, allowList: ["192.0.2.1"] }, "192.0.2.1")).toBe(false);
    expect(await reaches({ keyGenerator, allowList: ["ada"] }, "192.0.2.1")).toBe(true);
    expect(await reaches({ keyGenerator, allow: ["192.0.2.1"] }, "192.0.2.1")).toBe(true);
  });

  it("named allowList may be a text with several keys, of which none is a part of another", async () => {
    for (const allowList of ["192.0.2.1", "192.0.2.1,192.0.2.2", "192.0.2.2, 192.0.2.1"]) {
      expect(await reaches({ allowList }, "192.0.2.1"), allowList).toBe(true);
      expect(await reaches({ allowList }, "2.0.2.1"), allowList).toBe(false);
    }
    const keyGenerator = () => "ada";
    expect(await reaches({ keyGenerator, allowList: "eve ada" }, "192.0.2.1")).toBe(true);
    expect(await reaches({ keyGenerator, allowList: "adam" }, "192.0.2.1")).toBe(false);
  });

  it("named allowList distinguish numbers from their text, where keys are numbers", async () => {
    const keyGenerator = () => 42;
    expect(await reaches({ keyGenerator, allowList: [42] }, "192.0.2.1")).toBe(true);
    expect(await reaches({ keyGenerator, allowList: ["42"] }, "192.0.2.1")).toBe(false);
    expect(await reaches({ keyGenerator, allow: ["42"] }, "192.0.2.1")).toBe(true);
  });
});

describe("presets of routes", () => {
  const statuses = async (plugin: object, route: object, count: number): Promise<number[]> => {
    const server = await register({ validate: false, ...plugin });
    server.get("/", { config: { rateLimit: route } }, async () => "");
    const told: number[] = [];
    for (let index = 0; index < count; index++) told.push((await server.inject("/")).statusCode);
    return told;
  };
  const username = () => "ada";
  const fiveThenNo = [200, 200, 200, 200, 200, 429];

  it("count attempts to sign in beside whatever the plugin counts by", async () => {
    const { fixedWindow } = await import("@tidegate/core");
    for (const plugin of [
      { keyGenerator: () => Math.random() },
      { max: 2, timeWindow: 1_000 },
      { policies: [fixedWindow({ limit: 2, windowMs: 1_000 })] },
    ]) {
      expect(await statuses(plugin, { preset: "login", username }, 6)).toEqual(fiveThenNo);
    }
  });

  it("leave what only signs in behind where the plugin counts that", async () => {
    const plugin = { preset: "login", username, addressLimit: 1, limit: 1 };
    expect(await statuses(plugin, { preset: "parity", max: 2 }, 3)).toEqual([200, 200, 429]);
    expect(await statuses(plugin, { preset: "login", limit: 2 }, 2)).toEqual([200, 429]);
  });
});

describe("the names of the plugin", () => {
  it("are its own and that of @fastify/rate-limit, for plugins that depend on it", async () => {
    const server = await register({});
    // What the package fastify-plugin makes of a plugin.
    const dependent = Object.assign(async () => {}, {
      [Symbol.for("plugin-meta")]: { name: "dependent", dependencies: ["@fastify/rate-limit"] },
    });
    await server.register(dependent);
    expect(server.hasPlugin("@fastify/rate-limit")).toBe(true);
    expect(server.hasPlugin("@tidegate/fastify")).toBe(true);
    await server.close();
  });

  it("are known where it is registered, and not elsewhere", async () => {
    const server = fastify();
    const part: FastifyPluginAsync = async (child) => {
      await child.register(rateLimit);
      expect(child.hasPlugin("@fastify/rate-limit")).toBe(true);
    };
    await server.register(part);
    expect(server.hasPlugin("@fastify/rate-limit")).toBe(false);
    await server.close();
  });
});

describe("safety nets", () => {
  const warned = async (
    serverOptions: FastifyServerOptions,
    headers: Record<string, string>,
  ): Promise<readonly (string | undefined)[]> => {
    const server = await register({}, fastify(serverOptions));
    server.get("/", async () => "");
    await server.inject({ url: "/", headers });
    return warnings;
  };

  it.each([
    [false, ["TIDEGATE_FORWARDED_FOR_UNTRUSTED"]],
    [true, ["TIDEGATE_PROXY_TRUSTS_ALL"]],
    [() => true, ["TIDEGATE_PROXY_TRUSTS_ALL"]],
    [1, ["TIDEGATE_PROXY_TRUSTS_HOPS"]],
    ["loopback", []],
    ["127.0.0.1", []],
    [["10.0.0.0/8"], []],
    [(_address: string, hop: number) => hop < 1, []],
  ] as const)("find what trustProxy %o does (K2, K3, K4)", async (trustProxy, codes) => {
    const options = { trustProxy: trustProxy as never };
    expect(await warned(options, { "x-forwarded-for": "192.0.2.9" })).toEqual(codes);
  });

  it("find a trusted proxy that names no client", async () => {
    expect(await warned({ trustProxy: "loopback" }, {})).toEqual(["TIDEGATE_FORWARDED_FOR_ABSENT"]);
  });

  it("find routes that were there before the plugin, and say it once", async () => {
    const server = fastify();
    server.register(rateLimit, { max: 0, validate: { limit: false } });
    server.get("/early", async () => "");
    server.get("/unlimited", { config: { rateLimit: false } }, async () => "");
    await server.ready();
    expect(warnings).toEqual([]);
    expect((await server.inject("/unlimited")).statusCode).toBe(200);
    expect((await server.inject("/not-there")).statusCode).toBe(404);
    expect(warnings).toEqual([]);
    for (const _ of [1, 2]) expect((await server.inject("/early")).statusCode).toBe(200);
    expect(warnings).toEqual(["TIDEGATE_ROUTE_UNLIMITED"]);
  });

  it("leave routes alone that are elsewhere, or that were meant to be limited by themselves", async () => {
    const server = fastify();
    server.get("/elsewhere", async () => "");
    const part: FastifyPluginAsync = async (child) => {
      await child.register(rateLimit, { max: 0, validate: { limit: false } });
      child.get("/child", async () => "");
    };
    await server.register(part);
    expect((await server.inject("/elsewhere")).statusCode).toBe(200);
    expect((await server.inject("/child")).statusCode).toBe(429);
    const other = fastify();
    other.get("/early", async () => "");
    await other.register(rateLimit, { global: false });
    expect((await other.inject("/early")).statusCode).toBe(200);
    expect(warnings).toEqual([]);
  });

  it("leave decorators of others unchanged, with one warning", async () => {
    const server = fastify();
    const theirs = () => "theirs";
    server.decorate("rateLimit", theirs as never);
    await register({}, server);
    expect(server.rateLimit).toBe(theirs);
    expect(server.createRateLimit).toBeTypeOf("function");
    expect(warnings).toEqual(["TIDEGATE_DECORATOR_TAKEN"]);
  });

  it("leave the first registration its decorators", async () => {
    const server = fastify();
    await register({ max: 3 }, server);
    const { rateLimit: first } = server;
    await register({ max: 5 }, server);
    expect(server.rateLimit).toBe(first);
    expect(warnings).toEqual([]);
  });

  it("find limiters made for each request, and have them count together", async () => {
    const server = await register({ global: false });
    server.get("/", async (request, reply) => {
      await server.rateLimit({ max: 2 }).call(server, request, reply);
      return "";
    });
    const statuses: number[] = [];
    for (let index = 0; index < 3; index++) statuses.push((await server.inject("/")).statusCode);
    expect(statuses).toEqual([200, 200, 429]);
    expect(warnings).toEqual(["TIDEGATE_MADE_PER_REQUEST"]);
  });

  it("find two limits of one name", async () => {
    const server = await register({ name: "api" });
    const route = (url: string, own: RateLimitOptions) =>
      server.get(url, { config: { rateLimit: { name: "mine", ...own } } }, async () => "");
    route("/a", { max: 1 });
    route("/b", { max: 2 });
    route("/c", { timeWindow: 1_000 });
    expect(() => route("/d", { continueExceeding: true })).toThrow(/both named "mine"/);
    expect((await server.inject("/a")).headers["x-ratelimit-remaining"]).toBe("0");
    expect((await server.inject("/b")).headers["x-ratelimit-remaining"]).toBe("0");
    expect((await server.inject("/c")).headers["x-ratelimit-remaining"]).toBe("999");
  });

  it("let a route with several policies leave the name of the only one behind", async () => {
    const { fixedWindow } = await import("@tidegate/core");
    const server = await register({ preset: "api", limit: 5, identifier: "plan" });
    const policies = ["a", "b"].map((name) => fixedWindow({ name, limit: 5, windowMs: 1_000 }));
    server.get("/", { config: { rateLimit: { policies } } }, async () => "");
    const both = { config: { rateLimit: { policies, identifier: "plan" } } };
    expect(() => server.get("/both", both, async () => "")).toThrow(/'identifier' names the only/);
    expect((await server.inject("/")).headers["ratelimit"]).toBe('"a";r=4;t=1, "b";r=4;t=1');
  });

  it("find a question that would hold a place", async () => {
    const { concurrency } = await import("@tidegate/core");
    const server = await register({});
    const policies = [concurrency({ limit: 1 })];
    expect(() => server.createRateLimit({ policies })).toThrow(/'concurrency'/);
  });
});
