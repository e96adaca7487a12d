/** The contents of a response's rate-limit fields. */

import assert from "node:assert/strict";
import { request as plainRequest } from "node:http";
import {
  concurrency,
  fixedWindow,
  HOUR,
  leakyBucket,
  MINUTE,
  type Policy,
  SECOND,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "@tidegate/core";
import { parseList } from "structured-headers";
import type { Response } from "supertest";
import type { HttpCase } from "./contract-case.ts";
import {
  CLIENT,
  checkLists,
  checkOlder,
  field,
  members,
  rawLines,
  refuse,
} from "./response-fields.ts";
import { type SiteOptions, visit } from "./site.ts";

const DRAFTS = ["draft-6", "draft-7", "draft-8", "draft-11"] as const;
const NEWEST = { legacyHeaders: false, standardHeaders: "draft-11" } as const;
const SECRET = "a secret of sixteen bytes";

const BY_KIND: Readonly<Record<Policy["kind"], Policy>> = {
  fixedWindow: fixedWindow({ name: 'odd "name" \\', limit: 3, windowMs: 250 }),
  slidingWindow: slidingWindow({ name: "sliding", limit: 4, windowMs: MINUTE }),
  slidingLog: slidingLog({ name: "log", limit: 5, windowMs: HOUR }),
  tokenBucket: tokenBucket({ name: "tokens", capacity: 6, refillPerSecond: 0.3 }),
  leakyBucket: leakyBucket({ name: "leak", capacity: 7, leakPerSecond: 2 }),
  concurrency: concurrency({ name: "open", limit: 8 }),
};
const POLICIES: readonly Policy[] = Object.values(BY_KIND);

export const FIELD_CASES: readonly HttpCase[] = [
  {
    ids: ["H1", "H3", "H4", "H5", "H7", "H9", "H20", "H21"],
    title: "every field parses, on admitted and refused responses, for every policy",
    async run(framework) {
      for (const draft of DRAFTS) {
        const options: SiteOptions = { policies: POLICIES, standardHeaders: draft };
        await visit(framework, options, async (site) => {
          for (let index = 0; index < 5; index++) {
            const response = await site.get();
            if (draft === "draft-6" || draft === "draft-7") checkOlder(response, draft);
            else checkLists(response);
            assert.equal(response.status, index < 3 ? 200 : 429);
          }
        });
      }
    },
  },
  {
    ids: ["H2"],
    title: "a name that no field can carry is refused when the limiter is made",
    async run(framework) {
      const made = visit(framework, { limit: 1, ...NEWEST, identifier: "é" }, async () => {});
      await assert.rejects(made, /printable ASCII/);
    },
  },
  {
    ids: ["H6", "PK1", "PK2", "PK3", "PK4"],
    title: "partition keys are the user's choice, keyed, padded and the same everywhere",
    async run(framework) {
      const seen = new Set<string>();
      for (const partitionKey of [{ secret: SECRET }, { secret: SECRET }, undefined]) {
        await visit(framework, { limit: 5, ...NEWEST, partitionKey }, async (site) => {
          const response = await site.get();
          const [[, parameters]] = parseList(field(response, "RateLimit")) as [
            [unknown, Map<string, unknown>],
          ];
          assert.equal(parameters.has("pk"), partitionKey !== undefined);
          if (partitionKey === undefined) return;
          assert.match(field(response, "RateLimit-Policy"), /;pk=:[A-Za-z0-9+/]{16}:$/);
          assert.match(field(response, "RateLimit"), /;pk=:[A-Za-z0-9+/]{16}:$/);
          seen.add(field(response, "RateLimit").replace(/^.*;pk=/, ""));
        });
      }
      assert.equal(seen.size, 1);
      for (const partitionKey of [() => Uint8Array.of(1), async () => Uint8Array.of(1)]) {
        await visit(framework, { limit: 5, ...NEWEST, partitionKey }, async (site) => {
          assert.match(field(await site.get(), "RateLimit"), /;pk=:AQ==:$/);
        });
      }
    },
  },
  {
    ids: ["H8"],
    title: "no field is a trailer",
    async run(framework) {
      await visit(framework, { limit: 5, ...NEWEST }, async (site) => {
        const trailers = await new Promise<object>((resolve, reject) => {
          const sent = plainRequest(site.url, { headers: { te: "trailers" } }, (response) => {
            response.resume();
            response.on("end", () => resolve(response.trailers));
          });
          sent.on("error", reject).end();
        });
        assert.deepEqual(Object.keys(trailers), []);
      });
    },
  },
  {
    ids: ["H10", "H25"],
    title: "the policy never changes and the remaining hits never rise at one instant",
    async run(framework) {
      await visit(framework, { limit: 3, ...NEWEST }, async (site) => {
        const responses = [await site.get(), await site.get(), await site.get(), await site.get()];
        const policies = new Set(responses.map((response) => field(response, "RateLimit-Policy")));
        assert.equal(policies.size, 1);
        const left = responses.map(
          (response) => /;r=(\d+)/.exec(field(response, "RateLimit"))?.[1],
        );
        assert.deepEqual(left, ["2", "1", "0", "0"]);
      });
      await visit(framework, { limit: 3, ...NEWEST }, async (site) => {
        const together = await Promise.all(Array.from({ length: 8 }, () => site.get()));
        const left = together.map((response) => /;r=(\d+)/.exec(field(response, "RateLimit"))?.[1]);
        assert.deepEqual(left.sort(), ["0", "0", "0", "0", "0", "0", "1", "2"]);
      });
    },
  },
  {
    ids: ["H11", "H12", "H13", "H14", "H15", "C1", "C2", "C3"],
    title: "Retry-After is digits, at least 1, and the t of the policy that refuses",
    async run(framework) {
      for (const draft of ["draft-8", "draft-11"] as const) {
        for (const windowMs of [10, 999, 1_001, 59_500, HOUR]) {
          const options = { limit: 1, windowMs, ...NEWEST, standardHeaders: draft };
          await visit(framework, options, async (site) => {
            await site.get();
            const refused = await site.get();
            const seconds = field(refused, "Retry-After");
            assert.equal(seconds, String(Math.max(1, Math.ceil(windowMs / 1_000))));
            assert.match(field(refused, "RateLimit"), new RegExp(`; ?t=${seconds}$`));
          });
        }
      }
      const silent = { limit: 0, legacyHeaders: false, standardHeaders: false } as const;
      await visit(framework, silent, async (site) => {
        assert.equal(field(await site.get(), "Retry-After").length > 0, true);
      });
    },
  },
  {
    ids: ["H17", "H18", "W7", "W35"],
    title: "a client that waits as told is allowed, and the wait is less than a second too long",
    async run(framework) {
      for (const policy of POLICIES) {
        if (policy.kind === "concurrency") continue;
        await visit(framework, { policies: [policy] }, async (site) => {
          const refused = await refuse(site);
          const waitMs = Number(field(refused, "Retry-After")) * SECOND;
          const trueMs = site.limiter.peek(CLIENT).retryAfterMs;
          assert.ok(waitMs >= trueMs && waitMs - trueMs < SECOND);
          site.clock.advance(trueMs - 1);
          if (trueMs > 1) assert.equal((await site.get()).status, 429);
          site.clock.advance(waitMs - trueMs + 1);
          assert.equal((await site.get()).status, 200);
        });
      }
    },
  },
  {
    ids: ["H16", "H19", "H22", "W27", "S14"],
    title: "stacked limiters show all, or the one with the least remaining, in any order",
    async run(framework) {
      const stacks = [
        [2, 9],
        [9, 2],
      ];
      for (const limits of stacks) {
        for (const standardHeaders of DRAFTS) {
          const limiters = limits.map((limit, index) => ({
            ...{ limit, standardHeaders, legacyHeaders: true, windowMs: (index + 1) * MINUTE },
          }));
          await visit(framework, { limiters }, async (site) => {
            const response = await site.get();
            const [limit, remaining] = framework.legacy;
            assert.deepEqual([response.headers[limit], response.headers[remaining]], ["2", "1"]);
            const listed = parseList(field(response, "RateLimit-Policy"));
            assert.equal(listed.length, 2);
            if (standardHeaders === "draft-6") {
              assert.equal(field(response, "RateLimit-Remaining"), "1");
            } else if (standardHeaders === "draft-7") {
              assert.match(field(response, "RateLimit"), /^limit=2, remaining=1,/);
            } else checkLists(response);
            const refused = await refuse(site);
            const lines = rawLines(refused, "retry-after");
            assert.equal(lines, 1);
          });
        }
      }
    },
  },
  {
    ids: ["H23", "S5"],
    title: "fields are sent with every status, and omitted if configured",
    async run(framework) {
      for (const status of [204, 302, 404, 500]) {
        const plan = { limiters: [{ limit: 5, ...NEWEST }], answer: { status } };
        await visit(framework, plan, async (site) => {
          assert.ok(field(await site.get(), "RateLimit"));
        });
      }
      const omit = { limit: 5, ...NEWEST, omitHeaders: ["redirects", "cacheable"] } as const;
      const left: readonly (readonly [number, Record<string, string>, boolean])[] = [
        [302, {}, false],
        [200, { "cache-control": "public, max-age=60" }, false],
        [200, {}, true],
      ];
      for (const [status, headers, isThere] of left) {
        await visit(framework, { limiters: [omit], answer: { status, headers } }, async (site) => {
          assert.equal("ratelimit" in (await site.get()).headers, isThere);
        });
      }
    },
  },
  {
    ids: ["H24"],
    title: "no response of a bucket suggests more than its rate",
    async run(framework) {
      const policies = [tokenBucket({ capacity: 5, refillPerSecond: 0.7 })];
      await visit(framework, { policies, ...NEWEST }, async (site) => {
        for (let index = 0; index < 9; index++) {
          const response = await site.get();
          const [quota] = members(field(response, "RateLimit-Policy")).values();
          const [told] = members(field(response, "RateLimit")).values();
          const [q, w] = [Number(quota?.get("q")), Number(quota?.get("w"))];
          const [r, t] = [Number(told?.get("r")), Number(told?.get("t"))];
          assert.ok(r * w <= q * t, `${r} × ${w} > ${q} × ${t}`);
          site.clock.advance(400);
        }
      });
    },
  },
  {
    ids: ["H26"],
    title: "where headers have been sent already, a refusal is reported, and sets no header",
    async run(framework) {
      let limited = 0;
      const onLimited = (): void => {
        limited++;
      };
      const limiters = [
        { limit: 1, standardHeaders: "draft-11", exposeHeaders: true, onLimited },
      ] as const;
      await visit(framework, { limiters, isHasty: true }, async (site) => {
        for (let index = 0; index < 2; index++) {
          const { status, headers } = await site.get();
          assert.equal(status, 200);
          const set = Object.keys(headers).filter((name) => /ratelimit|retry|expose/.test(name));
          assert.deepEqual(set, []);
          assert.equal(limited, index);
        }
      });
    },
  },
  {
    ids: ["H30", "C5"],
    title: "the legacy reset is an integer in the unit that users know",
    async run(framework) {
      await visit(framework, { limit: 1, windowMs: 90_500, legacyHeaders: true }, async (site) => {
        const before = Date.now();
        const { headers } = await site.get();
        const [limit, remaining, reset = ""] = framework.legacy.map((name) => headers[name]);
        assert.deepEqual([limit, remaining], ["1", "0"]);
        assert.match(reset, /^\d+$/);
        const base = framework.resetAs === "epoch" ? before / 1_000 : 0;
        assert.ok(Number(reset) >= base + 90.5 && Number(reset) < base + 93);
      });
    },
  },
  {
    ids: ["W31"],
    title: "refused responses have the fields of admitted ones",
    async run(framework) {
      const options = { limit: 1, legacyHeaders: true, standardHeaders: "draft-11" } as const;
      await visit(framework, options, async (site) => {
        const named = ({ headers }: Response): string[] =>
          Object.keys(headers).filter((name) => /ratelimit/.test(name));
        assert.deepEqual(named(await site.get()).sort(), named(await site.get()).sort());
      });
    },
  },
];
