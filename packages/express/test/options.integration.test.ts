import { connect } from "node:net";
import { concurrency, fixedWindow, MINUTE } from "@tidegate/core";
import { manualClock } from "@tidegate/core/testing";
import type { Request, Response } from "express";
import { describe, expect, it, vi } from "vitest";
import { MemoryStore, type Options, type RateLimitOptions, rateLimit } from "../src/index.ts";
import { withApp } from "./app.ts";

/** What the one request that is refused gets. */
async function refusal(options: RateLimitOptions, headers = {}) {
  let answer = { status: 0, headers: {} as Record<string, unknown>, text: "" };
  await withApp([rateLimit({ limit: 0, validate: false, ...options })], async (app) => {
    answer = await app.get("/", headers);
  });
  return answer;
}

describe("the middleware", () => {
  it("goes on in the same tick", () => {
    const middleware = rateLimit({ limit: 1 });
    let isNext = false;
    const headers = new Map<string, string>();
    const request = { method: "GET", headers: {}, ip: "192.0.2.1", app: { get: () => false } };
    const response = {
      getHeader: (name: string) => headers.get(name),
      setHeader: (name: string, value: string) => headers.set(name, value),
    };
    middleware(request as never, response as never, () => {
      isNext = true;
    });
    expect(isNext).toBe(true);
    expect(headers.get("X-RateLimit-Remaining")).toBe("0");
  });

  it("lets one of two pipelined requests through at limit 1 (W1)", async () => {
    await withApp([rateLimit({ limit: 1 })], async ({ url }) => {
      const text = await new Promise<string>((resolve, reject) => {
        const socket = connect(Number(new URL(url).port), "127.0.0.1");
        let heard = "";
        socket.on("data", (chunk) => {
          heard += chunk.toString();
        });
        socket.on("end", () => resolve(heard)).on("error", reject);
        const ask = "GET / HTTP/1.1\r\nHost: a\r\n";
        socket.write(`${ask}\r\n${ask}Connection: close\r\n\r\n`);
      });
      expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 429"]);
    });
  });

  it("frees the permit of a client that hung up once the handler has ended", async () => {
    const middleware = rateLimit({ policies: [concurrency({ limit: 1 })] });
    const held: Response[] = [];
    await withApp(
      [middleware],
      async ({ url }) => {
        const socket = connect(Number(new URL(url).port), "127.0.0.1");
        socket.write("GET /held HTTP/1.1\r\nHost: a\r\n\r\n");
        await vi.waitFor(() => expect(held).toHaveLength(1));
        expect(middleware.limiter?.peek("127.0.0.1").allowed).toBe(false);
        socket.destroy();
        await vi.waitFor(() => expect(held[0]?.closed).toBe(true));
        expect(middleware.limiter?.peek("127.0.0.1").allowed).toBe(false);
        held[0]?.end("too late");
        expect(middleware.limiter?.peek("127.0.0.1").remaining).toBe(1);
      },
      (_request, response) => {
        held.push(response);
      },
    );
  });

  it("passes errors of functions on, thrown and rejected ones", async () => {
    for (const name of ["skip", "keyGenerator", "limit", "handler"] as const) {
      for (const fail of [throws, () => Promise.reject(new Error("no"))]) {
        const options = { limit: 0, validate: false, [name]: fail };
        await withApp([rateLimit(options)], async (app) => {
          expect((await app.get()).status).toBe(500);
        });
      }
    }
  });

  it("has a limiter of its own", async () => {
    const middleware = rateLimit({ limit: 1 });
    expect(middleware.limiter?.check("192.0.2.1").allowed).toBe(true);
    expect(middleware.limiters).toHaveLength(1);
  });
});

function throws(): never {
  throw new Error("no");
}

describe("what express-rate-limit's users know", () => {
  it.each([
    ["Slow down", "text/html; charset=utf-8", "Slow down"],
    [{ error: "slow" }, "application/json; charset=utf-8", '{"error":"slow"}'],
    [() => "made", "text/html; charset=utf-8", "made"],
    [async () => ["later"], "application/json; charset=utf-8", '["later"]'],
    [Buffer.from("bytes"), "application/octet-stream", "bytes"],
  ])("message %s is sent by res.send", async (message, type, text) => {
    const answer = await refusal({ message, statusCode: 420 });
    expect([answer.status, answer.headers["content-type"], answer.text]).toEqual([420, type, text]);
    expect(answer.headers["etag"]).toBeUndefined();
  });

  it("message is sent with the preset api as well, where a limit refuses", async () => {
    const answer = await refusal({ preset: "api", message: "Slow down" });
    expect(answer).toMatchObject({ status: 429, text: "Slow down" });
    expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
    const listed = await refusal({ preset: "api", message: "Slow down", block: ["127.0.0.1"] });
    expect(listed.headers["content-type"]).toMatch(/^application\/problem\+json/);
  });

  it("message may answer by itself", async () => {
    const message = (_request: Request, response: Response) => {
      response.status(418).end("teapot");
    };
    expect(await refusal({ message })).toMatchObject({ status: 418, text: "teapot" });
  });

  it("handler receives the options, and may allow the request", async () => {
    let used: Options | undefined;
    const answer = await refusal({
      windowMs: 5_000,
      handler: (_request, response, next, options) => {
        used = options;
        response.setHeader("x-handler", "yes");
        next();
      },
    });
    expect(answer).toMatchObject({ status: 200, text: "admitted" });
    expect(answer.headers).toMatchObject({ "x-handler": "yes", "retry-after": "5" });
    expect(used).toMatchObject({ windowMs: 5_000, limit: 0, statusCode: 429 });
    expect(used).toMatchObject({ requestPropertyName: "rateLimit", legacyHeaders: true });
    expect(used?.message).toMatch(/^Too many requests/);
  });

  it.each([
    [{ handler: 5 }, /'handler' must be a function/],
    [{ storeTimeoutMs: -5 }, /'storeTimeoutMs' must be whole milliseconds/],
    [{ requestPropertyName: 5 }, /'requestPropertyName' must be the name of a property/],
    [{ identifier: 5 }, /'identifier' must be a name/],
    [{ max: -1 }, /^'max' must be a number/],
    [{ id: "x" }, /^'id' must be a function/],
    [{ max: "5 a minute", store: new MemoryStore() }, /^'max' must be a number/],
  ])("that have no meaning throw: %o", (options, message) => {
    expect(() => rateLimit(options as never)).toThrow(message);
  });

  it("null means the default, and as a message no body", async () => {
    const nothing = { validate: null, standardHeaders: null, max: null, handler: null, skip: null };
    expect(() => rateLimit(nothing as never)).not.toThrow();
    const answer = await refusal({ ...nothing, keyGenerator: null, store: null } as never);
    expect(answer).toMatchObject({ status: 429, text: expect.stringMatching(/^Too many/) });
    expect(await refusal({ message: null })).toMatchObject({ status: 429, text: "" });
  });

  it("limit and windowMs and max and headers are accepted under both names", async () => {
    await withApp([rateLimit({ max: 1, headers: false })], async (app) => {
      const { headers } = await app.get();
      expect(Object.keys(headers).filter((name) => name.startsWith("x-rate"))).toEqual([]);
      expect(await app.statuses(1)).toEqual([429]);
    });
  });

  it("the request has the numbers of the decision, current hidden", async () => {
    let info: Record<string, unknown> = {};
    await withApp(
      [rateLimit({ limit: 3, windowMs: MINUTE, requestPropertyName: "quota" })],
      async (app) => {
        await app.get();
        expect(Object.keys(info)).toEqual(["limit", "used", "remaining", "resetTime", "key"]);
        expect(info).toMatchObject({ limit: 3, used: 1, remaining: 2, key: "127.0.0.1" });
        expect(info["current"]).toBe(1);
        const inMs = (info["resetTime"] as Date).getTime() - Date.now();
        expect(inMs).toBeGreaterThan(55_000);
        expect(inMs).toBeLessThanOrEqual(MINUTE);
      },
      (request, response) => {
        info = Reflect.get(request, "quota");
        response.end();
      },
    );
  });

  it("the end of a window is the same in all of its responses", async () => {
    const ends = new Set<number>();
    await withApp(
      [rateLimit({ limit: 100 })],
      async (app) => {
        await app.statuses(30);
      },
      (request, response) => {
        ends.add((Reflect.get(request, "rateLimit").resetTime as Date).getTime());
        response.end();
      },
    );
    expect(ends.size).toBe(1);
  });

  it("refused hits are counted in used, and the window is not lengthened", async () => {
    const clock = manualClock();
    const used: number[] = [];
    const handler: Options["handler"] = (request, response) => {
      used.push(Reflect.get(request, "rateLimit").used);
      response.status(429).end();
    };
    await withApp([rateLimit({ limit: 1, clock, handler })], async (app) => {
      await app.statuses(4);
      expect(used).toEqual([2, 3, 4]);
      clock.advance(MINUTE);
      expect((await app.get()).status).toBe(200);
    });
  });

  it("skip leaves no headers and no property", async () => {
    await withApp(
      [rateLimit({ limit: 0, skip: async () => true, validate: false })],
      async (app) => {
        const { status, headers } = await app.get();
        expect(status).toBe(200);
        expect(headers["x-ratelimit-limit"]).toBeUndefined();
      },
      (request, response) => {
        response.send(String("rateLimit" in request));
      },
    );
  });

  it("getKey and resetKey take a key as it is generated", async () => {
    const clock = manualClock();
    const middleware = rateLimit({ limit: 1, clock });
    await withApp([middleware], async (app) => {
      expect(await middleware.getKey("127.0.0.1")).toBeUndefined();
      await app.statuses(2);
      expect(await middleware.getKey("127.0.0.1")).toMatchObject({ totalHits: 2 });
      middleware.resetKey("127.0.0.1");
      expect((await app.get()).status).toBe(200);
      clock.advance(MINUTE);
      expect(await middleware.getKey("127.0.0.1")).toBeUndefined();
    });
  });

  it("retryAfter changes the header alone", async () => {
    expect((await refusal({ retryAfter: 7 })).headers["retry-after"]).toBe("7");
    expect((await refusal({ retryAfter: async () => 8 })).headers["retry-after"]).toBe("8");
    expect((await refusal({ retryAfter: () => 1.5 })).headers["retry-after"]).toBe("60");
  });

  it("ipv6Subnet may be a function, called for IPv6 alone", async () => {
    const asked: string[] = [];
    const ipv6Subnet = (request: Request): number => {
      asked.push(request.ip ?? "");
      return 32;
    };
    await withApp(
      (app) => {
        app.set("trust proxy", "loopback");
        app.use(rateLimit({ limit: 1, ipv6Subnet }));
      },
      async (app) => {
        const from = async (address: string) =>
          (await app.get("/", { "x-forwarded-for": address })).status;
        expect([await from("2001:db8:1::1"), await from("2001:db8:2::1")]).toEqual([200, 429]);
        expect(await from("192.0.2.1")).toBe(200);
      },
    );
    expect(asked).toEqual(["2001:db8:1::1", "2001:db8:2::1"]);
  });

  it("draft-8 has the name that is made of the numbers, also for limits by user", async () => {
    const named = async (options: RateLimitOptions) => {
      let field: unknown;
      await withApp([rateLimit({ standardHeaders: "draft-8", ...options })], async (app) => {
        field = (await app.get()).headers["ratelimit"];
      });
      return field;
    };
    expect(await named({})).toBe('"5-in-1min"; r=4; t=60');
    expect(await named({ limit: () => 7, windowMs: 90_500 })).toBe(
      '"7-in-1.5083333333333333min"; r=6; t=91',
    );
    expect(await named({ windowMs: 2 * 3_600_000 })).toBe('"5-in-2hrs"; r=4; t=7200');
    expect(await named({ identifier: "mine" })).toBe('"mine"; r=4; t=60');
    const policies = [fixedWindow({ name: "a", limit: 2, windowMs: MINUTE })];
    expect(await named({ policies })).toBe('"a"; r=1; t=60');
  });
});
