import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { concurrency, fixedWindow, MINUTE } from "../../src/index.ts";
import { manualClock } from "../../src/testing.ts";
import { type Handler, rateLimit } from "./web-adapter.ts";

const REPOSITORY = new URL("../../../../", import.meta.url);

/** A server with one handler behind a limit, for clients whose address stands in a header. */
function serverWith(
  options: Parameters<typeof rateLimit>[0],
  handler: Handler = () => new Response("hello"),
): (headers?: Record<string, string>) => Promise<Response> {
  const limited = rateLimit(
    { clock: manualClock(), ...options },
    (request) => request.headers.get("x-address") ?? "192.0.2.1",
  )(handler);
  return async (headers = {}) => limited(new Request("https://api.example/", { headers }));
}

describe("the adapter of the guide", () => {
  it("is the code on its page", () => {
    const own = readFileSync(new URL("web-adapter.ts", import.meta.url), "utf8");
    const page = readFileSync(new URL("docs/guides/writing-an-adapter.md", REPOSITORY), "utf8");
    expect(page).toContain(`\`\`\`ts\n${own.slice(own.indexOf("import "))}\`\`\``);
  });

  it("lets requests pass with fields, and refuses the rest with a problem", async () => {
    const send = serverWith({ name: "api", limit: 2 });
    const passed = await send();
    expect([passed.status, await passed.text()]).toEqual([200, "hello"]);
    expect(passed.headers.get("ratelimit-policy")).toBe('"api";q=2;w=60');
    expect(passed.headers.get("ratelimit")).toBe('"api";r=1;t=60');
    expect(passed.headers.get("access-control-expose-headers")).toContain("RateLimit");
    await send();
    const refused = await send();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(refused.headers.get("content-type")).toBe("application/problem+json");
    expect(await refused.json()).toMatchObject({ title: "Quota Exceeded" });
    expect((await send({ "x-address": "2001:db8::1" })).status).toBe(200);
  });

  it("has the preset 'api', also if it is undefined, and refuses 'parity'", async () => {
    const send = serverWith({ preset: undefined, limit: 1 });
    await send();
    expect((await send()).headers.get("content-type")).toBe("application/problem+json");
    expect(() => serverWith({})).toThrow("rateLimit needs 'limit'");
    expect(() => serverWith({ preset: "parity" })).toThrow(
      "'preset' must be one of 'api', 'login'",
    );
  });

  it("sends text where there are no problem details", async () => {
    const username = () => "ada";
    const send = serverWith({ preset: "login", username, limit: 1 });
    await send();
    const refused = await send();
    expect([refused.status, refused.headers.get("content-type")]).toEqual([429, "text/plain"]);
    expect(await refused.text()).toBe("This request is refused.");
  });

  it("counts by what a function answers, at once or later", async () => {
    for (const key of [({ headers }: Request) => headers.get("user"), async () => "ada"]) {
      const send = serverWith({ limit: 1, key });
      expect((await send({ user: "ada" })).status).toBe(200);
      expect((await send({ user: "ada", "x-address": "192.0.2.7" })).status).toBe(429);
    }
  });

  it("refunds a request that failed, by its status or by throwing", async () => {
    const answers = [
      () => new Response(null, { status: 500 }),
      () => Promise.reject(new Error("no")),
    ];
    for (const answer of answers) {
      const send = serverWith({ limit: 1, skipFailedRequests: true }, answer);
      for (let request = 0; request < 3; request++) {
        const response = await send().catch((error: Error) => error);
        expect(response instanceof Error || response.status === 500).toBe(true);
      }
    }
  });

  it("holds a permit until the handler has answered", async () => {
    let answer = (_response: Response): void => {};
    const waiting = () => new Promise<Response>((resolve) => (answer = resolve));
    const send = serverWith({ policies: [concurrency({ limit: 1 })] }, waiting);
    const first = send();
    await Promise.resolve();
    expect((await send()).status).toBe(429);
    answer(new Response("done"));
    expect((await first).status).toBe(200);
    const third = send();
    await Promise.resolve();
    answer(new Response("done"));
    expect((await third).status).toBe(200);
  });

  it("omits fields from a redirect if configured, and shows both of two limits", async () => {
    const redirect = () => Response.redirect("https://api.example/other", 302);
    const omitting = await serverWith({ limit: 5, omitHeaders: ["redirects"] }, redirect)();
    expect([omitting.status, omitting.headers.get("ratelimit")]).toEqual([302, null]);
    const policies = [fixedWindow({ limit: 9, windowMs: MINUTE, name: "outer" })];
    const inner = rateLimit({ name: "inner", limit: 5 }, () => "192.0.2.1");
    const both = await serverWith(
      { policies },
      inner(() => new Response("hello")),
    )();
    expect(both.headers.get("ratelimit")).toBe('"inner";r=4;t=60, "outer";r=8;t=60');
  });
});
