/** The form of a refused response: status, body, caching, other origins. */

import assert from "node:assert/strict";
import { concurrency, fixedWindow, MINUTE } from "@tidegate/core";
import { parseList } from "structured-headers";
import type { Response } from "supertest";
import type { HttpCase } from "./contract-case.ts";
import { field } from "./response-fields.ts";
import { visit } from "./site.ts";

const PREFLIGHT = {
  origin: "https://shop.example",
  "access-control-request-method": "PUT",
} as const;

const CACHED = {
  "cache-control": "public, max-age=600",
  etag: '"one"',
  expires: "Thu, 01 Jan 2099 00:00:00 GMT",
  "last-modified": "Thu, 01 Jan 2020 00:00:00 GMT",
} as const;

/** A problem as RFC 9457 describes it: its members, and their types. */
function checkProblem(response: Response): Record<string, unknown> {
  assert.match(field(response, "Content-Type"), /^application\/problem\+json(; charset=utf-8)?$/);
  const body: Record<string, unknown> = JSON.parse(response.text);
  const { type, title, status, detail, ...extensions } = body;
  assert.ok(URL.canParse(String(type)), "type is a URI");
  assert.equal(typeof title, "string");
  assert.equal(status, response.status);
  assert.equal(typeof detail, "string");
  assert.ok(!/\d/.test(String(detail)), "no numbers to be read out of detail");
  for (const name of Object.keys(extensions)) {
    assert.match(name, /^(violated-policies|[A-Za-z][A-Za-z0-9_]{2,})$/);
  }
  return body;
}

export const REFUSAL_CASES: readonly HttpCase[] = [
  {
    ids: ["S1", "S2"],
    title: "a refusal is 429 in the body of the limiter that users come from",
    async run(framework) {
      await visit(framework, { limit: 1 }, async (site) => {
        assert.equal((await site.get()).status, 200);
        const refused = await site.get();
        assert.equal(refused.status, 429);
        assert.equal(field(refused, "Content-Type"), framework.refusal.type);
        assert.equal(refused.text, framework.refusal.text);
      });
      const failing = { limit: 1, onError: "closed", key: () => Promise.reject(new Error("no")) };
      await visit(framework, failing as never, async (site) => {
        assert.equal((await site.get()).status, 503);
      });
      await visit(framework, { limit: 1, block: ["127.0.0.1"] }, async (site) => {
        assert.equal((await site.get()).status, 403);
      });
    },
  },
  {
    ids: ["S2", "C1"],
    title:
      "a cost above the limit is refused for good: the body says so, and there is no Retry-After",
    async run(framework) {
      const costs = { limit: 2, cost: 3, standardHeaders: "draft-11" } as const;
      const places = { policies: [concurrency({ name: "open", limit: 2 })], cost: 3 };
      for (const preset of ["parity", "api"] as const) {
        for (const options of [costs, { ...costs, cost: () => 3 }, places]) {
          await visit(framework, { preset, ...options }, async (site) => {
            const refused = await site.get();
            assert.equal(refused.status, 429);
            assert.match(refused.text, /costs more than .*can never pass/);
            assert.equal(refused.headers["retry-after"], undefined);
            if (preset === "api") checkProblem(refused);
          });
        }
        await visit(framework, { preset, limit: 0, windowMs: MINUTE, cost: 3 }, async (site) => {
          assert.equal(field(await site.get(), "Retry-After"), "60");
        });
      }
    },
  },
  {
    ids: ["S3", "S4"],
    title: "no cache keeps a refusal, and allowed responses are unchanged",
    async run(framework) {
      for (const preset of ["parity", "api"] as const) {
        const plan = { limiters: [{ preset, limit: 1 }], before: CACHED };
        await visit(framework, plan, async (site) => {
          const admitted = await site.get();
          for (const [name, value] of Object.entries(CACHED)) {
            assert.equal(field(admitted, name), value);
          }
          const { headers } = await site.get();
          assert.equal(headers["cache-control"], "no-store");
          for (const name of ["etag", "expires", "last-modified"]) {
            assert.equal(headers[name], undefined, name);
          }
        });
      }
    },
  },
  {
    ids: ["S6"],
    title: "a refused HEAD has the headers of a GET and no body",
    async run(framework) {
      await visit(framework, { limit: 0, standardHeaders: "draft-11" }, async (site) => {
        const [got, head] = [await site.get(), await site.send("head")];
        assert.equal(head.status, 429);
        assert.ok(!head.text);
        for (const name of ["ratelimit", "retry-after", "content-type", "content-length"]) {
          assert.equal(head.headers[name], got.headers[name], name);
        }
      });
    },
  },
  {
    ids: ["S7"],
    title: "preflights are neither counted nor refused, and other OPTIONS are counted",
    async run(framework) {
      await visit(framework, { limit: 1 }, async (site) => {
        for (let index = 0; index < 3; index++) {
          assert.notEqual((await site.send("options", PREFLIGHT)).status, 429);
        }
        assert.equal((await site.send("options")).status === 429, false);
        assert.equal((await site.send("options")).status, 429);
      });
      await visit(framework, { limit: 1, countPreflights: true }, async (site) => {
        await site.send("options", PREFLIGHT);
        assert.equal((await site.send("options", PREFLIGHT)).status, 429);
      });
    },
  },
  {
    ids: ["S8", "S9", "S10"],
    title: "scripts of other origins can read a refusal and its headers",
    async run(framework) {
      const before = {
        "access-control-allow-origin": "https://shop.example",
        "access-control-allow-credentials": "true",
        "access-control-expose-headers": "X-Id, ratelimit",
        vary: "Origin",
      };
      await visit(framework, { limiters: [{ preset: "api", limit: 1 }], before }, async (site) => {
        for (const response of [await site.get(), await site.get()]) {
          assert.equal(field(response, "Access-Control-Allow-Origin"), "https://shop.example");
          assert.equal(field(response, "Access-Control-Allow-Credentials"), "true");
          const names = field(response, "Access-Control-Expose-Headers");
          assert.equal(names, "X-Id, ratelimit, RateLimit-Policy, Retry-After");
        }
      });
      const bare = { legacyHeaders: false, exposeHeaders: true } as const;
      await visit(framework, { limit: 0, ...bare }, async (site) => {
        assert.equal(field(await site.get(), "Access-Control-Expose-Headers"), "Retry-After");
      });
      const failing = { onError: "closed", key: () => Promise.reject(new Error("no")) } as const;
      for (const refusing of [failing, { block: ["127.0.0.1"] }]) {
        await visit(framework, { limit: 1, exposeHeaders: true, ...refusing }, async (site) => {
          assert.match(field(await site.get(), "Access-Control-Expose-Headers"), /Retry-After$/);
        });
      }
      await visit(framework, { limit: 1 }, async (site) => {
        for (const { headers } of [await site.get(), await site.get()]) {
          assert.equal(headers["access-control-expose-headers"], undefined);
        }
      });
    },
  },
  {
    ids: ["S11", "B1", "B2", "B3", "B4", "B5", "B6"],
    title: "the preset api refuses with problem details that name the policies and no key",
    async run(framework) {
      const policies = [
        fixedWindow({ name: "burst", limit: 1, windowMs: MINUTE }),
        fixedWindow({ name: "roomy", limit: 100, windowMs: MINUTE }),
        concurrency({ name: "open", limit: 0 }),
      ];
      const bodies: string[] = [];
      const key = (request: unknown): string => framework.header(request, "x-user") ?? "";
      await visit(framework, { preset: "api", policies, key }, async (site) => {
        for (const user of ["ada-the-secret", "eve"]) {
          const response = await site.get({ "x-user": user });
          const problem = checkProblem(response);
          assert.deepEqual(problem["violated-policies"], ["open"]);
          const listed = parseList(field(response, "RateLimit-Policy")).map(([name]) => name);
          assert.deepEqual(listed, ["burst", "roomy", "open"]);
          assert.ok(!response.text.includes(user) && !response.text.includes("127.0.0.1"));
          bodies.push(response.text);
        }
      });
      assert.equal(bodies[0], bodies[1]);
      await visit(framework, { preset: "api", limit: 0, name: "orders" }, async (site) => {
        const problem = checkProblem(await site.get());
        const type = "https://iana.org/assignments/http-problem-types#quota-exceeded";
        assert.deepEqual([problem["type"], problem["title"]], [type, "Quota Exceeded"]);
        assert.deepEqual(problem["violated-policies"], ["orders"]);
      });
      await visit(
        framework,
        { preset: "api", limit: 0, problemType: "about:blank" },
        async (site) => {
          assert.equal(checkProblem(await site.get())["title"], "Too Many Requests");
        },
      );
    },
  },
  {
    ids: ["S1", "S11", "B5"],
    title: "lists, trouble and blocks are problems of their own kinds in the preset api",
    async run(framework) {
      const seen = async (options: object): Promise<unknown[]> => {
        let kind: unknown[] = [];
        await visit(framework, { preset: "api", limit: 1, ...options } as never, async (site) => {
          const response = await site.get();
          const { type, title } = checkProblem(response);
          kind = [response.status, String(type).replace(/^.*#/, ""), title];
        });
        return kind;
      };
      assert.deepEqual(await seen({ block: ["127.0.0.1"] }), [403, "about:blank", "Forbidden"]);
      const failing = { onError: "closed", key: () => Promise.reject(new Error("no")) };
      const reduced = "Temporary Reduced Capacity";
      assert.deepEqual(await seen(failing), [503, "temporary-reduced-capacity", reduced]);
      await visit(framework, { preset: "api", limit: 9 }, async (site) => {
        site.limiter.block("127.0.0.1", 5_000);
        const response = await site.get();
        assert.equal(field(response, "Retry-After"), "5");
        assert.match(Object.values(checkProblem(response)).join(), /#abnormal-usage.*is blocked/);
      });
    },
  },
  {
    ids: ["N1", "N5", "N9"],
    title: "the body does not depend on what a client accepts, and is never 406",
    async run(framework) {
      for (const preset of ["parity", "api"] as const) {
        await visit(framework, { preset, limit: 0 }, async (site) => {
          const bodies = new Set<string>();
          for (const accept of [
            "",
            "*/*",
            "image/png",
            "text/plain;q=0, garbage;;",
            "a".repeat(2_000),
          ]) {
            const response = await site.get(accept === "" ? {} : { accept });
            assert.equal(response.status, 429);
            bodies.add(response.text);
          }
          assert.equal(bodies.size, 1);
        });
      }
    },
  },
  {
    ids: ["S13", "K19"],
    title: "the preset login sends no numbers but whole minutes",
    async run(framework) {
      const username = (request: unknown): string => framework.header(request, "x-user") ?? "";
      await visit(framework, { preset: "login", username }, async (site) => {
        for (let index = 0; index < 5; index++) await site.get({ "x-user": "ada" });
        site.clock.advance(61_000);
        const { status, headers, text } = await site.get({ "x-user": "ada" });
        assert.equal(status, 429);
        assert.equal(headers["retry-after"], "840");
        assert.deepEqual(
          Object.keys(headers).filter((name) => /ratelimit/.test(name)),
          [],
        );
        assert.ok(!text.includes("ada"));
      });
    },
  },
  {
    ids: ["C4"],
    title: "to come back too early makes the wait no longer",
    async run(framework) {
      await visit(framework, { limit: 1 }, async (site) => {
        await site.get();
        for (const seconds of ["60", "50", "40", "30", "20", "10"]) {
          assert.equal(field(await site.get(), "Retry-After"), seconds);
          site.clock.advance(10_000);
        }
        assert.equal((await site.get()).status, 200);
      });
    },
  },
  {
    ids: ["C6", "C7"],
    title: "the presets of tidegate's own send one family of headers, and draft-6 can be chosen",
    async run(framework) {
      const sent = async (options: object): Promise<string[]> => {
        let names: string[] = [];
        await visit(framework, { limit: 1, ...options } as never, async (site) => {
          const { headers } = await site.get();
          names = Object.keys(headers)
            .filter((name) => /ratelimit/.test(name))
            .sort();
        });
        return names;
      };
      assert.deepEqual(await sent({ preset: "api" }), ["ratelimit", "ratelimit-policy"]);
      const older = { preset: "api", standardHeaders: "draft-6" };
      assert.ok((await sent(older)).includes("ratelimit-reset"));
    },
  },
];
