/** Signing in: the keys of the preset `login`. */

import assert from "node:assert/strict";
import { MINUTE } from "@tidegate/core";
import type { HttpCase } from "./contract-case.ts";
import { type SitePlan, visit } from "./site.ts";

export const LOGIN_CASES: readonly HttpCase[] = [
  {
    ids: ["K18"],
    title: "the preset login calls a limit function for each name",
    async run(framework) {
      const username = (request: unknown) => framework.header(request, "x-user");
      const asked: unknown[] = [];
      const limit = (...told: unknown[]): number => {
        // The key's position among the arguments differs by framework.
        asked.push(told.find((one) => typeof one === "string"));
        return asked.at(-1) === "of:ada" ? 2 : 3;
      };
      await visit(framework, { preset: "login", username, limit }, async (site) => {
        const as = (user: string) => () => ({ "x-user": user });
        assert.deepEqual(await site.statuses(3, as("of:ada")), [200, 200, 429]);
        assert.deepEqual(await site.statuses(4, as("bob")), [200, 200, 200, 429]);
        assert.deepEqual(await site.statuses(2), [200, 200]);
        assert.deepEqual(asked, [...Array(3).fill("of:ada"), ...Array(4).fill("bob")]);
      });
    },
  },
  {
    ids: ["K29"],
    title: "the preset login warns where names are read before bodies are parsed",
    async run(framework) {
      const json = { "content-type": "application/json" };
      const username = (): string => "";
      await visit(framework, { preset: "login", username }, async (site) => {
        await site.send("post");
        await site.send("post", { "content-type": "text/plain" }, "guess");
        await site.send("post", { ...json, "content-length": "0" });
        assert.deepEqual(site.warnings, []);
        for (let count = 0; count < 2; count++) await site.send("post", json, '{"name":"ada"}');
        assert.deepEqual(site.warnings, ["TIDEGATE_BODY_UNREAD"]);
      });
      await visit(framework, { preset: "login", username: () => "ada" }, async (site) => {
        await site.send("post", json, '{"name":"ada"}');
        assert.deepEqual(site.warnings, []);
      });
    },
  },
  {
    ids: ["K18"],
    title:
      "a user who is locked out by the preset login is let in by a reset of the name in all limiters",
    async run(framework) {
      const username = (): string => "ada";
      await visit(framework, { preset: "login", username, limit: 1 }, async (site) => {
        assert.deepEqual(await site.statuses(2), [200, 429]);
        for (const limiter of site.limiters) limiter.reset("ada");
        assert.deepEqual(await site.statuses(2), [200, 429]);
      });
    },
  },
  {
    ids: ["K18"],
    title: "the preset login counts names and addresses apart, and both must pass",
    async run(framework) {
      const username = (request: unknown): string => framework.header(request, "x-user") ?? "";
      const plan: SitePlan = {
        limiters: [{ preset: "login", username, addressLimit: 7, windowMs: MINUTE }],
        trust: "loopback",
      };
      await visit(framework, plan, async (site) => {
        const attempts = async (user: (index: number) => string, address: (i: number) => string) =>
          (
            await site.statuses(9, (index) => ({
              "x-user": user(index),
              "x-forwarded-for": address(index),
            }))
          ).filter((status) => status === 200).length;
        assert.equal(
          await attempts(
            () => "ada",
            (index) => `192.0.2.${index}`,
          ),
          5,
        );
        assert.equal(
          await attempts(
            (index) => `user-${index}`,
            () => "198.51.100.1",
          ),
          7,
        );
      });
    },
  },
];
