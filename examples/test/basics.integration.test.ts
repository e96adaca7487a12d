/**
 * The examples of single servers: each is started as its page says, and asked over HTTP.
 */

import { describe, expect, it, type TestContext } from "vitest";
import { type ExampleOptions, RunningExample } from "./running-example.ts";

const FRAMEWORKS = ["express", "koa", "fastify"];

async function running(
  { onTestFinished }: TestContext,
  name: string,
  options?: ExampleOptions,
): Promise<RunningExample> {
  const example = await RunningExample.start(name, options);
  onTestFinished(() => example.stop());
  return example;
}

describe.concurrent("the examples", () => {
  it.for(FRAMEWORKS)("%s: limits each client to five requests a minute", async (name, test) => {
    const example = await running(test, name);
    const first = await example.ask();
    expect(first.status).toBe(200);
    expect(first.headers["ratelimit-policy"]).toBe('"api";q=5;w=60');
    expect(first.headers["ratelimit"]).toBe('"api";r=4;t=60');
    expect(await example.statuses(4)).toEqual([200, 200, 200, 200]);
    const refused = await example.ask();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(50);
    expect(refused.headers["content-type"]).toMatch(/^application\/problem\+json/);
    expect(JSON.parse(refused.text)["violated-policies"]).toEqual(["api"]);
  });

  it("fastify: has a limit of its own for a route", async (test) => {
    const example = await running(test, "fastify");
    expect(await example.statuses(3, { path: "/search" })).toEqual([200, 200, 429]);
    expect((await example.ask()).headers["ratelimit"]).toBe('"api";r=4;t=60');
  });

  it("node-http: makes headers of a decision", async (test) => {
    const example = await running(test, "node-http");
    const first = await example.ask();
    expect(first.headers["x-ratelimit-limit"]).toBe("5");
    expect(first.headers["x-ratelimit-remaining"]).toBe("4");
    expect(await example.statuses(5)).toEqual([200, 200, 200, 200, 429]);
    const refused = await example.ask();
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(50);
    expect(refused.headers["cache-control"]).toBe("no-store");
  });

  it("behind-a-proxy: counts whom the proxy has heard, not what it was told", async (test) => {
    const example = await running(test, "behind-a-proxy");
    const heard = (list: string) => ({ headers: { "x-forwarded-for": list } });
    for (let time = 1; time <= 5; time++) {
      const { status, text } = await example.ask(heard(`198.51.100.${time}, 203.0.113.9`));
      expect([status, text]).toEqual([200, "Hello, 203.0.113.9\n"]);
    }
    expect((await example.ask(heard("6.6.6.6, 203.0.113.9"))).status).toBe(429);
    expect((await example.ask(heard("203.0.113.10"))).status).toBe(200);
  });

  it("plans: holds each user to the user's plan", async (test) => {
    const example = await running(test, "plans");
    const as = (key: string) => ({ headers: { "x-api-key": key } });
    const ada = await example.ask(as("key-of-ada"));
    expect(ada.headers["ratelimit"]).toBe('"api";r=9;t=60');
    expect(await example.statuses(4, as("key-of-bob"))).toEqual([200, 200, 200, 429]);
    expect(await example.statuses(9, as("key-of-ada"))).toEqual(Array(9).fill(200));
    expect((await example.ask(as("key-of-ada"))).status).toBe(429);
    expect((await example.ask(as("made up"))).status).toBe(401);
  });

  it("llm-tokens: refuses while charged tokens are being paid back", async (test) => {
    const example = await running(test, "llm-tokens");
    const prompt = (length: number) => ({
      ...{ path: "/complete", method: "POST" },
      body: { prompt: "a".repeat(length) },
    });
    const first = await example.ask(prompt(400));
    expect([first.status, JSON.parse(first.text).tokens]).toEqual([200, 400]);
    expect(first.headers["ratelimit"]).toContain('"tokens";r=1000');
    const second = await example.ask(prompt(900));
    expect(second.status).toBe(200);
    expect(second.headers["ratelimit"]).toMatch(/"tokens";r=(600|61\d)/);
    const refused = await example.ask(prompt(1));
    expect(refused.status).toBe(429);
    expect(JSON.parse(refused.text)["violated-policies"]).toEqual(["tokens"]);
    // 300 tokens of debt, at 10 a second.
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(20);
    expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(31);
  });

  it("log-in: counts wrong passwords for a name, however it is written", async (test) => {
    const example = await running(test, "log-in");
    const as = (name: string, password: string) => ({
      ...{ path: "/log-in", method: "POST" },
      body: { name, password },
    });
    const right = as("ada", "difference engine");
    expect(await example.statuses(8, right)).toEqual(Array(8).fill(200));
    for (const spelling of ["ada", "ADA", " Ada ", "aDa", "adA"]) {
      expect((await example.ask(as(spelling, "guess"))).status).toBe(401);
    }
    const refused = await example.ask(right);
    expect(refused.status).toBe(429);
    expect(refused.headers["retry-after"]).toBe("900");
    expect(refused.headers["ratelimit"]).toBeUndefined();
    expect((await example.ask(as("charles", "guess"))).status).toBe(401);
  });

  it("concurrency: lets two reports run for a client, and frees their places", async (test) => {
    const example = await running(test, "concurrency");
    const report = { path: "/report" };
    const three = await Promise.all([1, 2, 3].map(() => example.ask(report)));
    expect(three.map(({ status }) => status).sort()).toEqual([200, 200, 429]);
    const refused = three.find(({ status }) => status === 429);
    expect(refused?.headers["retry-after"]).toBe("1");
    expect((await example.ask(report)).status).toBe(200);
  });
});
