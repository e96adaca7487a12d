import { describe, expect, it } from "vitest";
import type { Counter, EndListener, Key, ResponseEnd } from "../../../src/http.ts";
import { concurrency, fixedWindow, type Limiter, MINUTE } from "../../../src/index.ts";
import { FAKE, type FakeOptions, FakeRequest, FakeResponse, Stand } from "../exchange.ts";

const KEY = "192.0.2.1";

function throws(): never {
  throw new Error("gone");
}

/** Counts until something is given back or charged. */
function failing(told: string[], fail: () => unknown): (limiter: Limiter) => Counter {
  const tell = (what: string) => (key: Key) => {
    told.push(`${what} ${key}`);
    return fail() as undefined;
  };
  return (limiter) => ({
    check: (key, cost) => limiter.check(key, cost),
    peek: (key, cost) => limiter.peek(key, cost),
    ...{ charge: tell("charge"), refund: tell("refund"), release: tell("release") },
  });
}

function used(stand: Stand, key = KEY): number[] {
  return (stand.gate.limiter?.inspect(key).results ?? []).map((result) => result.used);
}

/** What is left counted of a request whose framework says itself how the response ended. */
function leftAfter(how: ResponseEnd, statusCode: number, options: FakeOptions): number[] {
  const listeners: EndListener[] = [];
  const framework: typeof FAKE = {
    ...FAKE,
    followEnd: (_response, listener) => {
      listeners.push(listener);
      return { handling: () => {} };
    },
  };
  const stand = new Stand(options, { framework });
  const { response } = stand.enter();
  response.statusCode = statusCode;
  for (const listener of listeners) listener.ended(how);
  return used(stand);
}

describe("the end of a response that a framework reports", () => {
  it("decides what is refunded, and every end releases a permit", () => {
    const left = (how: ResponseEnd, options: FakeOptions): number[] =>
      [200, 500].flatMap((status) => leftAfter(how, status, options));
    const failed = { skipFailedRequests: true };
    expect(left("sent", failed)).toEqual([1, 0]);
    expect(left("sent", { skipSuccessfulRequests: true })).toEqual([0, 1]);
    expect(left("lost", failed)).toEqual([1, 1]);
    expect(left("failed", failed)).toEqual([0, 0]);
    expect(left("hung up", failed)).toEqual([1, 1]);
    expect(left("hung up", { ...failed, refundHangUps: true })).toEqual([0, 0]);
    for (const how of ["sent", "lost", "failed", "hung up"] as const) {
      expect(left(how, { policies: [concurrency({ limit: 1 })] })).toEqual([0, 0]);
    }
  });
});

describe("the end of a response", () => {
  it("refunds a request at once when its response has already ended", async () => {
    const ends: readonly ((response: FakeResponse) => void)[] = [
      (response) => response.breakOff(),
      (response) => response.finish(),
      (response) => Object.assign(response, { stream: { destroyed: true } }),
      (response) => Object.assign(response, { writableEnded: true, writableFinished: true }),
    ];
    for (const end of ends) {
      const policies = [concurrency({ limit: 1 }), fixedWindow({ limit: 100, windowMs: MINUTE })];
      const stand = new Stand({ policies, key: async () => KEY });
      const response = new FakeResponse();
      const entering = stand.enterLater(new FakeRequest(), response);
      end(response);
      await entering;
      // The handler of a client that has hung up is still to come.
      if (!response.writableEnded) {
        expect(used(stand)).toEqual([1, 1]);
        response.end();
      }
      expect(used(stand)).toEqual([0, 1]);
      // The next request keeps its permit, whatever event comes from that response.
      await stand.enterLater();
      response.emit("finish");
      response.emit("close");
      expect(used(stand)).toEqual([1, 2]);
    }
  });

  it("refunds and charges by how a response had ended before, and once", async () => {
    const after = async (options: object, end: (response: FakeResponse) => void) => {
      const stand = new Stand({ ...options, key: async () => KEY });
      await stand.enterLater();
      const response = new FakeResponse();
      const entering = stand.enterLater(new FakeRequest(), response);
      end(response);
      await entering;
      if (!response.writableEnded) response.end();
      response.emit("close");
      return used(stand)[0];
    };
    const isGone = (response: FakeResponse) => response.breakOff();
    const hasFailed = (response: FakeResponse) => response.finish(500);
    const isDone = (response: FakeResponse) => response.finish(200);
    expect(await after({ skipFailedRequests: true }, isGone)).toBe(2);
    expect(await after({ skipFailedRequests: true, refundHangUps: true }, isGone)).toBe(1);
    expect(await after({ skipFailedRequests: true }, hasFailed)).toBe(1);
    expect(await after({ skipFailedRequests: true }, isDone)).toBe(2);
    expect(await after({ skipSuccessfulRequests: true }, isGone)).toBe(2);
    expect(await after({ skipSuccessfulRequests: true }, isDone)).toBe(1);
    expect(await after({ charge: () => 3 }, isGone)).toBe(5);
    expect(await after({ countIf: () => true }, isDone)).toBe(1);
  });

  it("releases a permit although the adapter's callback failed", () => {
    const onVerdict = () => {
      throw new Error("no");
    };
    const stand = new Stand({ policies: [concurrency({ limit: 1 })] }, { onVerdict });
    const response = new FakeResponse();
    expect(() => stand.enter(new FakeRequest(), response)).toThrow("no");
    expect(used(stand)).toEqual([1]);
    response.finish(500);
    expect(used(stand)).toEqual([0]);
  });

  it("releases as many permits of each policy as the request acquired", () => {
    const weights: Record<string, number> = { wide: 3, narrow: 0 };
    const policies = [
      concurrency({ name: "wide", limit: 9 }),
      concurrency({ name: "narrow", limit: 2 }),
      fixedWindow({ name: "rate", limit: 100, windowMs: MINUTE }),
    ];
    const stand = new Stand({ policies, cost: () => weights });
    const first = stand.enter();
    Object.assign(weights, { wide: 1, narrow: 2 });
    const second = stand.enter();
    expect(used(stand)).toEqual([4, 2, 2]);
    first.response.finish();
    expect(used(stand)).toEqual([1, 2, 2]);
    second.response.finish();
    expect(used(stand)).toEqual([0, 0, 2]);
  });

  it("reports a counter that failed or rejected, and still calls the others", async () => {
    for (const fail of [throws, async () => throws()]) {
      for (const end of ["breakOff", "finish", "emit"] as const) {
        const told: string[] = [];
        const counterOf = failing(told, fail);
        const options = {
          preset: "login",
          username: () => "ada",
          skipFailedRequests: true,
          refundHangUps: true,
          holdAfterHangUpMs: 0,
        } as const;
        const stand = new Stand({ ...options, charge: () => 2 }, { counterOf });
        const { response } = stand.enter();
        if (end === "emit") response.emit("error", new Error("broken pipe"));
        else response[end](500);
        await Promise.resolve();
        expect(told.sort()).toEqual([
          ...["charge 192.0.2.1", "charge ada", "refund 192.0.2.1", "refund ada"],
        ]);
        expect(stand.codes).toEqual(["TIDEGATE_AFTERWARDS_FAILED"]);
        const policies = [concurrency({ limit: 1 })];
        const holding = new Stand({ policies, holdAfterHangUpMs: 0 }, { counterOf });
        holding.enter().response[end === "breakOff" ? end : "finish"]();
        expect(told.slice(4)).toEqual(["release 192.0.2.1"]);
      }
    }
  });

  it("counts only if countIf returns a truthy value", async () => {
    for (const [answer, count] of [
      ...([true, "yes", 1, Promise.resolve({})] as const).map((yes) => [yes, 1] as const),
      ...([false, "", 0, null, undefined, Promise.resolve()] as const).map(
        (no) => [no, 0] as const,
      ),
    ]) {
      const stand = new Stand({ countIf: () => answer });
      stand.enter().response.finish();
      await Promise.resolve();
      await Promise.resolve();
      expect(used(stand)).toEqual([count]);
    }
  });
});
