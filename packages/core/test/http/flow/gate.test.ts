import { describe, expect, it } from "vitest";
import type { Counter, Refusal } from "../../../src/http.ts";
import {
  concurrency,
  createLimiter,
  type Decision,
  fixedWindow,
  type Limiter,
  type LimiterOptions,
  leakyBucket,
  MINUTE,
  tokenBucket,
} from "../../../src/index.ts";
import { manualClock } from "../../../src/testing.ts";
import { FakeRequest, FakeResponse, Stand } from "../exchange.ts";

describe("a gate", () => {
  it("decides in the same tick, and says what each request found (W1)", () => {
    const stand = new Stand({ limit: 3 });
    const remaining = [1, 2, 3, 4].map(() => stand.enter().response.get("x-remaining"));
    expect(remaining).toEqual(["2", "1", "0", "0"]);
    expect(stand.enter().outcome?.status).toBe(429);
  });

  it("waits only where a function returns a promise", async () => {
    for (const name of ["skip", "key", "limit", "windowMs", "cost", "allow", "block"] as const) {
      const answers = { skip: false, key: "ada", limit: 1, windowMs: MINUTE, cost: 1 };
      const answer = name === "allow" || name === "block" ? false : answers[name];
      const now = new Stand({ limit: 1, [name]: () => answer });
      expect([now.enter().outcome, now.enter().outcome?.status]).toEqual([null, 429]);
      const later = new Stand({ limit: 1, [name]: async () => answer });
      expect(later.gate.enter(new FakeRequest(), new FakeResponse())).toBeInstanceOf(Promise);
      expect((await later.enterLater()).outcome?.status).toBe(429);
    }
  });

  it("asks the key function once a request (K24)", () => {
    let asked = 0;
    const stand = new Stand({ key: () => `user-${asked++}`, allow: ["nobody"], limit: () => 5 });
    stand.enter();
    expect(asked).toBe(1);
  });

  it("lets preflights pass uncounted, and counts other OPTIONS (S7)", () => {
    const preflight = () => {
      const asking = { origin: "https://a.example", "access-control-request-method": "PUT" };
      return Object.assign(new FakeRequest(asking), { method: "OPTIONS" });
    };
    expect(new Stand({ limit: 1 }).passes(4, preflight)).toBe(4);
    expect(new Stand({ limit: 1, countPreflights: true }).passes(4, preflight)).toBe(1);
    const plain = () => Object.assign(new FakeRequest(), { method: "OPTIONS" });
    expect(new Stand({ limit: 1 }).passes(4, plain)).toBe(1);
  });

  it("counts by address where a key function answers with no key, and lets pass for false (W15)", () => {
    for (const nothing of ["", true, { id: 7 }]) {
      const stand = new Stand({ limit: 1, key: () => nothing as never });
      expect(stand.passes(3)).toBe(1);
      expect(stand.codes).toEqual(["TIDEGATE_KEY_EMPTY"]);
    }
    const stand = new Stand({ limit: 1, key: () => false });
    expect(stand.passes(3)).toBe(3);
    expect(stand.codes).toEqual([]);
  });

  it("lets requests without an address pass, once with a warning (K7)", () => {
    const nowhere = () =>
      Object.assign(new FakeRequest(), { address: undefined, socketAddress: undefined });
    const stand = new Stand({ limit: 0 });
    expect(stand.passes(3, nowhere)).toBe(3);
    expect(stand.codes).toEqual(["TIDEGATE_LIMIT_ZERO", "TIDEGATE_ADDRESS_MISSING"]);
    const login = new Stand({ preset: "login", username: () => "ada" });
    expect(login.enter(nowhere()).outcome?.status).toBe(429);
  });

  it("counts by the connection where the address is none (K6)", () => {
    const stand = new Stand({ limit: 1 });
    let made = 0;
    const odd = () => Object.assign(new FakeRequest(), { address: `<script>${made++}` });
    expect(stand.passes(5, odd)).toBe(1);
    expect(stand.codes).toEqual(["TIDEGATE_ADDRESS_INVALID"]);
  });

  it("counts IPv6 by networks that a function chooses, and refuses nonsense in them (W24)", async () => {
    const address = "2001:db8:1234:5678::1";
    const from = () => Object.assign(new FakeRequest(), { address });
    const enter = (answer: unknown) =>
      new Stand({ ipv6Subnet: () => answer as number }).enter(from()).outcome;
    for (const subnet of [32, 56, 64, false]) expect(enter(subnet)).toBeNull();
    for (const nonsense of [null, undefined, true, "", "56", 56.5, Number.NaN, -1, 31, 65]) {
      expect(() => enter(nonsense)).toThrow(/'ipv6Subnet' must be/);
    }
    const closed = new Stand({ ipv6Subnet: async () => 56.5, onError: "closed" });
    expect((await closed.enterLater(from())).outcome?.status).toBe(503);
  });

  it("has limits by user, and refuses nonsense in them (W24)", () => {
    const limits: Record<string, number> = { ada: 2, eve: Number.NaN, bob: -1, max: Infinity };
    const stand = new Stand({
      key: ({ headers }) => headers["user"],
      limit: ({ headers }) => limits[headers["user"] ?? ""] as number,
    });
    expect(stand.passes(5, () => new FakeRequest({ user: "ada" }))).toBe(2);
    expect(stand.passes(50, () => new FakeRequest({ user: "max" }))).toBe(50);
    for (const user of ["eve", "bob", "nobody"]) {
      expect(() => stand.enter(new FakeRequest({ user }))).toThrow(/'limit' must be/);
    }
  });

  it("has windows by user, each a budget of its own, and at most 64", () => {
    const clock = manualClock();
    const stand = new Stand({ limit: 1, clock, windowMs: ({ headers }) => Number(headers["ms"]) });
    const with_ = (ms: number) => stand.enter(new FakeRequest({ ms: String(ms) })).outcome;
    expect([with_(1_000), with_(2_000), with_(1_000)].map((outcome) => outcome === null)).toEqual([
      true,
      true,
      false,
    ]);
    clock.advance(1_000);
    expect([with_(1_000) === null, with_(2_000) === null]).toEqual([true, false]);
    for (let ms = 1; ms <= 62; ms++) with_(ms);
    expect(() => with_(999)).toThrow(/at most 64/);
    expect(stand.gate.limiters).toHaveLength(65);
  });

  it("charges what a request has cost, and asks beforehand what it will", () => {
    const tokens = fixedWindow({ name: "tokens", limit: 1_000, windowMs: MINUTE });
    const requests = fixedWindow({ name: "requests", limit: 10, windowMs: MINUTE });
    const stand = new Stand({
      policies: [requests, tokens],
      cost: () => ({ tokens: 100 }),
      charge: () => ({ tokens: 500 }),
    });
    stand.enter().response.finish();
    const used = stand.gate.limiter?.inspect("192.0.2.1").results.map((result) => result.used);
    expect(used).toEqual([1, 600]);
  });

  it.each([-1, 1.5, Number.NaN, Infinity])("takes no cost of %s (W21)", (cost) => {
    const stand = new Stand({ cost: () => cost });
    expect(() => stand.enter()).toThrow(/TIDEGATE_COST_INVALID/);
    expect(() => new Stand({ cost })).toThrow(/'cost' must be/);
  });

  it("releases permits exactly once, however a response ends", () => {
    const ends: readonly ((response: FakeResponse) => void)[] = [
      (response) => response.finish(),
      (response) => response.breakOff() ?? response.end(),
      (response) => response.emit("error", new Error("gone")),
    ];
    for (const end of ends) {
      const policies = [concurrency({ limit: 1 }), fixedWindow({ limit: 100, windowMs: MINUTE })];
      const stand = new Stand({ policies });
      const { response } = stand.enter();
      expect(stand.enter().outcome?.retryAfterSeconds).toBe(1);
      end(response);
      response.emit("close");
      response.emit("finish");
      expect(stand.enter().outcome).toBeNull();
      expect(stand.enter().outcome?.status).toBe(429);
    }
  });

  it("refunds failed requests, hang-ups if configured, and each once", () => {
    const stand = new Stand({ limit: 3, skipFailedRequests: true, refundHangUps: true });
    stand.enter();
    stand.enter().response.finish(500);
    const { response } = stand.enter();
    response.breakOff();
    expect(stand.gate.limiter?.inspect("192.0.2.1").results[0]?.used).toBe(2);
    response.end();
    const twice = stand.enter().response;
    twice.emit("error", new Error("gone"));
    twice.emit("close");
    expect(stand.gate.limiter?.inspect("192.0.2.1").results[0]?.used).toBe(1);
    stand.enter().response.finish(200);
    expect(stand.gate.limiter?.inspect("192.0.2.1").results[0]?.used).toBe(2);
  });

  it("refunds refused requests as it does others", () => {
    const stand = new Stand({ limit: 1, skipFailedRequests: true });
    stand.enter();
    const refused = stand.enter();
    expect(refused.outcome?.verdict?.used).toBe(2);
    refused.response.finish(429);
    expect(stand.gate.limiter?.inspect("192.0.2.1").results[0]?.used).toBe(1);
  });

  it("refunds successful requests, and heeds a later answer on what success is", async () => {
    const requestWasSuccessful = async () => true;
    const stand = new Stand({ limit: 2, skipSuccessfulRequests: true, requestWasSuccessful });
    stand.enter().response.finish(500);
    await Promise.resolve();
    await Promise.resolve();
    expect(stand.gate.limiter?.inspect("192.0.2.1").results[0]?.used).toBe(0);
  });

  it("reports a failure once when the response has been sent", () => {
    const charge = () => {
      throw new Error("no");
    };
    const stand = new Stand({ charge });
    stand.enter().response.finish();
    stand.enter().response.finish();
    expect(stand.codes).toEqual(["TIDEGATE_AFTERWARDS_FAILED"]);
  });

  it("counts with countIf only what turns out to count, in parallel too (W26)", () => {
    const countIf = (_request: FakeRequest, { statusCode }: FakeResponse) => statusCode >= 400;
    const stand = new Stand({ limit: 2, countIf });
    const open = Array.from({ length: 6 }, () => stand.enter());
    expect(open.map(({ outcome }) => outcome)).toEqual(new Array(6).fill(null));
    for (const { response } of open) response.finish(200);
    expect(stand.gate.limiter?.inspect("192.0.2.1").results[0]?.used).toBe(0);
    for (const status of [401, 401]) stand.enter().response.finish(status);
    expect(stand.enter().outcome?.status).toBe(429);
  });

  it("allows everything in a dry run, and reports what it would have done", () => {
    const told: unknown[] = [];
    const onLimited = (_request: unknown, _response: unknown, { enforced, reason }: Refusal) =>
      told.push(reason, enforced);
    const stand = new Stand({ limit: 1, dryRun: true, onLimited });
    expect(stand.passes(3)).toBe(3);
    expect(told.splice(0)).toEqual(["limit", false, "limit", false]);
    expect([...stand.enter().response.headers]).toEqual([]);
    told.length = 0;
    const listed = new Stand({ block: ["192.0.2.1"], dryRun: true, onLimited }).enter();
    expect([listed.outcome, told.splice(0)]).toEqual([null, ["list", false]]);
  });

  it("does as onError says when a function fails (K23)", async () => {
    const failing = {
      key: () => {
        throw new Error("no");
      },
    };
    const rejecting = { key: () => Promise.reject(new Error("no")) };
    expect(() => new Stand(failing).enter()).toThrow("no");
    await expect(new Stand(rejecting).enterLater()).rejects.toThrow("no");
    for (const options of [failing, rejecting]) {
      const open = await new Stand({ ...options, onError: "open" }).enterLater();
      expect(open.outcome).toBeNull();
      const closed = await new Stand({ ...options, onError: "closed" }).enterLater();
      expect([closed.outcome?.status, closed.response.get("retry-after")]).toEqual([503, "1"]);
    }
  });

  it("shapes: holds a request back that leaves later", async () => {
    const policy = leakyBucket({ capacity: 1, leakPerSecond: 100, maxWaitMs: 1_000 });
    const stand = new Stand({ policies: [policy], clock: manualClock() });
    expect(stand.enter().outcome).toBeNull();
    const held = stand.gate.enter(new FakeRequest(), new FakeResponse());
    expect(held).toBeInstanceOf(Promise);
    expect(await held).toBeNull();
  });

  it("charges several policies all or nothing (W18)", () => {
    const stand = new Stand({
      policies: [
        fixedWindow({ name: "a", limit: 1, windowMs: MINUTE }),
        tokenBucket({ name: "b", capacity: 100, refillPerSecond: 1 }),
      ],
    });
    stand.passes(10);
    const used = stand.gate.limiter?.inspect("192.0.2.1").results.map((result) => result.used);
    expect(used).toEqual([1, 1]);
  });

  it("counts in limiters that an adapter makes, and by what the adapter counts", () => {
    const made = new Map<string, Limiter>();
    const adapter = {
      makeLimiter: (options: LimiterOptions): Limiter => {
        const limiter = made.get(options.name) ?? createLimiter(options);
        made.set(options.name, limiter);
        return limiter;
      },
    };
    const [one, other] = [new Stand({ limit: 2 }, adapter), new Stand({ limit: 2 }, adapter)];
    expect([one.passes(1), other.passes(5), made.size]).toEqual([1, 1, 1]);
    const looking = new Stand(
      { limit: 2 },
      { counterOf: (limiter) => ({ ...counter(limiter), check: limiter.peek.bind(limiter) }) },
    );
    expect(looking.passes(9)).toBe(9);
  });
});

function counter(limiter: Limiter): Counter {
  return {
    check: limiter.check.bind(limiter),
    peek: limiter.peek.bind(limiter),
    charge: limiter.charge.bind(limiter),
    refund: (key, cost, verdict) => limiter.refund(key, cost, verdict as Decision),
    release: limiter.release.bind(limiter),
  };
}
