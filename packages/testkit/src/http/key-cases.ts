/** The keys that requests are counted by. */

import assert from "node:assert/strict";
import type { HttpCase } from "./contract-case.ts";
import { type SiteOptions, type SitePlan, visit, type WebFramework } from "./site.ts";

const SPOOFABLE = [
  "x-forwarded-for",
  "x-real-ip",
  "forwarded",
  "cf-connecting-ip",
  "true-client-ip",
  "x-client-ip",
];

/** How many of the given clients have a budget of their own. */
async function budgets(
  framework: WebFramework,
  addresses: readonly string[],
  options: SitePlan["limiters"][number] = {},
): Promise<number> {
  let passed = 0;
  const plan: SitePlan = { limiters: [{ limit: 1, ...options }], trust: "loopback" };
  await visit(framework, plan, async (site) => {
    for (const address of addresses) {
      if ((await site.get({ "x-forwarded-for": address })).status === 200) passed++;
    }
  });
  return passed;
}

export const KEY_CASES: readonly HttpCase[] = [
  {
    ids: ["K1", "K4", "K5"],
    title:
      "no header that a client sends changes its key, and those that look like a proxy are said",
    async run(framework) {
      for (const name of SPOOFABLE) {
        await visit(framework, { limit: 1 }, async (site) => {
          const headers = (index: number): Record<string, string> => ({ [name]: `6.6.6.${index}` });
          assert.deepEqual(await site.statuses(3, headers), [200, 429, 429]);
          const warnings = {
            "x-forwarded-for": ["TIDEGATE_FORWARDED_FOR_UNTRUSTED"],
            forwarded: ["TIDEGATE_FORWARDED_IGNORED"],
          };
          assert.deepEqual(site.warnings, warnings[name as "forwarded"] ?? []);
        });
      }
    },
  },
  {
    ids: ["K2", "W28"],
    title: "believing every sender gives a warning, and the socket's address may count instead",
    async run(framework) {
      for (const onPermissiveProxy of ["warn", "socket"] as const) {
        const plan: SitePlan = { limiters: [{ limit: 2, onPermissiveProxy }], trust: "all" };
        await visit(framework, plan, async (site) => {
          const headers = (index: number): object => ({ "x-forwarded-for": `6.6.6.${index}` });
          const statuses = await site.statuses(4, headers as () => Record<string, string>);
          const isSpoofed = onPermissiveProxy === "warn";
          assert.equal(statuses.filter((status) => status === 200).length, isSpoofed ? 4 : 2);
          assert.deepEqual(site.warnings, ["TIDEGATE_PROXY_TRUSTS_ALL"]);
        });
      }
    },
  },
  {
    ids: ["K6", "K25"],
    title: "ports are left out, and without a valid address the connection's counts",
    async run(framework) {
      assert.equal(await budgets(framework, ["203.0.113.9:1", "203.0.113.9:2", "203.0.113.9"]), 1);
      assert.equal(await budgets(framework, ["<script>", "unknown", "01.2.3.4", "0x7f.1"]), 1);
      const plan: SitePlan = { limiters: [{ limit: 1 }], trust: "loopback" };
      await visit(framework, plan, async (site) => {
        await site.get({ "x-forwarded-for": "<script>" });
        assert.deepEqual(site.warnings, ["TIDEGATE_ADDRESS_INVALID"]);
        assert.equal(site.limiter.inspect("127.0.0.1").known, true);
      });
    },
  },
  {
    ids: ["K6", "W28"],
    title: "functions receive the address that counts, and never text that a client invented",
    async run(framework) {
      const told: unknown[] = [];
      const allow = (...given: unknown[]): boolean => {
        // The key's position among the arguments differs by framework.
        told.push(given.find((one) => typeof one === "string"));
        return told.at(-1) === "10.0.0.1";
      };
      const permissive: SitePlan = {
        limiters: [{ limit: 1, onPermissiveProxy: "socket", allow }],
        trust: "all",
      };
      await visit(framework, permissive, async (site) => {
        const spoofed = () => ({ "x-forwarded-for": "10.0.0.1" });
        assert.deepEqual(await site.statuses(3, spoofed), [200, 429, 429]);
      });
      const plan: SitePlan = { limiters: [{ limit: 9, allow }], trust: "loopback" };
      await visit(framework, plan, async (site) => {
        const from = ["<script>", "203.0.113.9:1234", "198.51.100.1"];
        await site.statuses(3, (index) => ({ "x-forwarded-for": from[index] ?? "" }));
      });
      const [connection, ...others] = ["127.0.0.1", "203.0.113.9", "198.51.100.1"];
      assert.deepEqual(told, [...Array(4).fill(connection), ...others]);
    },
  },
  {
    ids: ["K8", "K9", "K10"],
    title: "all spellings of an address are one key",
    async run(framework) {
      const four = ["203.0.113.9", "::ffff:203.0.113.9", "::ffff:cb00:7109", "::FFFF:203.0.113.9"];
      assert.equal(await budgets(framework, four), 1);
      const six = ["2001:db8::1", "2001:DB8:0:0::1", "2001:0db8:0000:0000:0000:0000:0000:0001"];
      assert.equal(await budgets(framework, six), 1);
      const mixed = ["2001:db8:1234:5678::1.2.3.4", "1.2.3.4"];
      assert.equal(await budgets(framework, mixed), 2);
    },
  },
  {
    ids: ["K11", "K12", "W36"],
    title: "IPv6 counts by network, of the length that users know or ask for",
    async run(framework) {
      const within = ["2001:db8:0:1::1", "2001:db8:0:1::2"];
      const beside = ["2001:db8:0:1::1", "2001:db8:0:2::1"];
      const beyond = ["2001:db8:0:100::1", "2001:db8:0:200::1"];
      assert.equal(await budgets(framework, within), 1);
      assert.equal(await budgets(framework, beside), framework.subnet === 64 ? 2 : 1);
      assert.equal(await budgets(framework, beyond), 2);
      assert.equal(await budgets(framework, beside, { ipv6Subnet: 64 }), 2);
      assert.equal(await budgets(framework, beyond, { ipv6Subnet: 48 }), 1);
    },
  },
  {
    ids: ["K13"],
    title: "translated IPv4 counts as IPv4",
    async run(framework) {
      assert.equal(await budgets(framework, ["64:ff9b::1.2.3.4", "1.2.3.4"]), 1);
      assert.equal(await budgets(framework, ["64:ff9b::1.2.3.4", "64:ff9b::1.2.3.5"]), 2);
      const translationPrefixes = ["2001:db8:64::/96"];
      const own = ["2001:db8:64::1.2.3.4", "2001:db8:64::1.2.3.5"];
      assert.equal(await budgets(framework, own), 1);
      assert.equal(await budgets(framework, own, { translationPrefixes }), 2);
    },
  },
  {
    ids: ["K6", "K8", "K13", "L1"],
    title: "lists have the address that counts, and no key passes for one",
    async run(framework) {
      const key = (request: unknown): string => framework.header(request, "x-user") ?? "";
      const block = ["10.0.0.0/8", "127.0.0.0/8"];
      const plan: SitePlan = { limiters: [{ limit: 9, block }], trust: "loopback" };
      await visit(framework, plan, async (site) => {
        const from = ["10.2.2.2", "64:ff9b::a02:202", "::ffff:a02:202", "<script>", "192.0.2.1"];
        const statuses = await site.statuses(5, (at) => ({ "x-forwarded-for": from[at] ?? "" }));
        assert.deepEqual(statuses, [403, 403, 403, 403, 200]);
      });
      const allow = ["10.0.0.0/8", "192.0.2.7", "ada"];
      await visit(framework, { limit: 0, key, allow }, async (site) => {
        const users = ["192.0.2.7", "10.0.0.0/8", "ada"];
        const statuses = await site.statuses(3, (index) => ({ "x-user": users[index] ?? "" }));
        assert.deepEqual(statuses, [429, 429, 200]);
      });
    },
  },
  {
    ids: ["K14"],
    title: "no address is trusted by itself",
    async run(framework) {
      assert.equal(await budgets(framework, ["::1", "::1", "fe80::1", "fe80::1"]), 2);
    },
  },
  {
    ids: ["K15", "K24", "W16"],
    title: "keys of several parts are kept apart, awaited, and computed once",
    async run(framework) {
      let asked = 0;
      const key = async (request: unknown): Promise<string[]> => {
        asked++;
        return (framework.header(request, "x-user") ?? "").split("|");
      };
      await visit(framework, { limit: 1, key }, async (site) => {
        const users = ["a|b:c", "a:b|c", "a|b:c"];
        const statuses = await site.statuses(3, (index) => ({ "x-user": users[index] ?? "" }));
        assert.deepEqual(statuses, [200, 200, 429]);
        assert.equal(asked, 3);
      });
    },
  },
  {
    ids: ["K26"],
    title: "a key that is a number stays one for users' functions, and counts as its text",
    async run(framework) {
      for (const answer of [42, 42n]) {
        const told: unknown[] = [];
        const note = (...given: readonly unknown[]): false => {
          // The key's position among the arguments differs by framework.
          told.push(given.find((one) => typeof one === typeof answer));
          return false;
        };
        const onLimited = (...given: readonly unknown[]): void => {
          note(...given.map((one) => Reflect.get(one as object, "key")));
        };
        const options = { limit: () => 1, key: () => answer, allow: note, onLimited };
        await visit(framework, options, async (site) => {
          assert.deepEqual(await site.statuses(2), [200, 429]);
          assert.equal(site.limiter.inspect("42").known, true);
        });
        assert.deepEqual(told, [answer, answer, answer]);
      }
    },
  },
  {
    ids: ["K7", "W15"],
    title:
      "an empty key counts by address and not for all clients; false allows the request under `key`",
    async run(framework) {
      const empty = [undefined, null, "", true, { id: 7 }].map((key) => ({ key: () => key }));
      const falsy = [{ keyGenerator: () => false }, { keyGenerator: async () => false }];
      for (const options of [...empty, ...falsy]) {
        await visit(framework, { limit: 1, ...options } as SiteOptions, async (site) => {
          assert.deepEqual(await site.statuses(2), [200, 429]);
          assert.deepEqual(site.warnings, ["TIDEGATE_KEY_EMPTY"]);
          assert.equal(site.limiter.inspect("127.0.0.1").known, true);
          assert.equal(site.limiter.inspect("undefined").known, false);
        });
      }
      for (const name of ["key", "id"]) {
        await visit(framework, { limit: 1, [name]: () => false }, async (site) => {
          assert.deepEqual(await site.statuses(2), [200, 200]);
          assert.deepEqual(site.warnings, []);
        });
      }
    },
  },
  {
    ids: ["K16"],
    title: "long keys and control characters do no harm",
    async run(framework) {
      const key = (request: unknown): string =>
        `${framework.header(request, "x-user")}\n${"x".repeat(5_000)}`;
      await visit(framework, { limit: 1, key }, async (site) => {
        const statuses = await site.statuses(3, (index) => ({ "x-user": String(index % 2) }));
        assert.deepEqual(statuses, [200, 200, 429]);
      });
    },
  },
  {
    ids: ["K17", "W8", "W32"],
    title: "made-up keys neither grow memory nor free a key that is refused",
    async run(framework) {
      const key = (request: unknown): string => framework.header(request, "x-user") ?? "";
      await visit(framework, { limit: 1, key, maxKeys: 1_000 }, async (site) => {
        const ada = { "x-user": "ada" };
        assert.deepEqual(await site.statuses(2, () => ada), [200, 429]);
        for (let index = 0; index < 100_000; index++) site.limiter.check(`made-up-${index}`);
        assert.ok(site.limiter.status().keys <= 1_000);
        assert.equal((await site.get(ada)).status, 429);
      });
    },
  },
  {
    ids: ["K21"],
    title: "a trusted proxy that names no client is counted itself, with a warning",
    async run(framework) {
      const plan: SitePlan = { limiters: [{ limit: 1 }], trust: "loopback" };
      await visit(framework, plan, async (site) => {
        assert.deepEqual(await site.statuses(2), [200, 429]);
        assert.deepEqual(site.warnings, ["TIDEGATE_FORWARDED_FOR_ABSENT"]);
      });
    },
  },
  {
    ids: ["K23"],
    title: "onError says what becomes of a request when a function fails",
    async run(framework) {
      const statuses = { throw: 500, open: 200, closed: 503 };
      for (const key of [failing, () => Promise.reject(new Error("no"))]) {
        for (const onError of ["throw", "open", "closed"] as const) {
          await visit(framework, { limit: 0, key, onError }, async (site) => {
            const { status, headers } = await site.get();
            assert.equal(status, statuses[onError]);
            if (onError === "closed") assert.equal(headers["retry-after"], "1");
          });
        }
      }
    },
  },
];

function failing(): never {
  throw new Error("no");
}
