/** Keys that users make themselves: in key functions, and for calls to a limiter. */

import assert from "node:assert/strict";
import { MINUTE } from "@tidegate/core";
import type { HttpCase } from "./contract-case.ts";
import { type SitePlan, visit } from "./site.ts";

export const OWN_KEY_CASES: readonly HttpCase[] = [
  {
    ids: ["K27"],
    title:
      "a key function that answers with an IPv6 address is warned about once, and networks not",
    async run(framework) {
      const address = (index: number): string => `2001:db8::${index}`;
      for (const part of [address, (index: number) => ["acme", address(index)]]) {
        let asked = 0;
        const key = (): string | string[] => part(++asked);
        await visit(framework, { limit: 1, key }, async (site) => {
          assert.deepEqual(await site.statuses(3), [200, 200, 200]);
          assert.deepEqual(site.warnings, ["TIDEGATE_KEY_IPV6"]);
        });
        for (const validate of [false, { keyGeneratorIpFallback: false }]) {
          await visit(framework, { limit: 1, key, validate } as never, async (site) => {
            await site.get();
            assert.deepEqual(site.warnings, []);
          });
        }
      }
      const clear = [
        ...[
          "192.0.2.1",
          "::ffff:192.0.2.1",
          "64:ff9b::192.0.2.1",
          "2001:db8::/56",
          "2001:db8:1:2::",
        ],
        ...["user:42", "abc::def", "00:11:22:33:44:55:66:77", "fee:1:2", 42, [1, 2, 3, 4, 5, 6, 7]],
      ];
      await visit(framework, { limit: 9, key: () => clear.pop() as string }, async (site) => {
        while (clear.length > 0) await site.get();
        assert.deepEqual(site.warnings, []);
      });
    },
  },
  {
    ids: ["K28"],
    title:
      "a limiter is told of a client by the key of its address, and of several parts by theirs",
    async run(framework) {
      const plan: SitePlan = { limiters: [{ limit: 9 }], trust: "loopback" };
      const other = "192.0.2.1";
      for (const address of ["2001:db8:1:2::7", "203.0.113.9", "::ffff:198.51.100.7"]) {
        await visit(framework, plan, async (site) => {
          const from = [other, address, other];
          const statuses = (): Promise<number[]> =>
            site.statuses(3, (index) => ({ "x-forwarded-for": from[index] ?? other }));
          assert.deepEqual(await statuses(), [200, 200, 200]);
          site.limiter.block(framework.ipKeyGenerator(address), MINUTE);
          assert.deepEqual(await statuses(), [200, 429, 200]);
          site.limiter.unblock(framework.ipKeyGenerator(address));
          assert.deepEqual(await statuses(), [200, 200, 200]);
        });
      }
      const key = (): (string | number)[] => ["acme", 7];
      await visit(framework, { limit: 9, key }, async (site) => {
        site.limiter.block(framework.compositeKey("acme", 7), MINUTE);
        assert.equal((await site.get()).status, 429);
      });
      assert.equal(framework.ipKeyGenerator(undefined), "");
    },
  },
];
