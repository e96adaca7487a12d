/** In a file of its own, since it is about the first two limiters of a process. */

import { expect, it } from "vitest";
import type { Decision } from "../../../src/base/decision.ts";
import type { Framework } from "../../../src/http/framework.ts";
import { Fields } from "../../../src/http/headers/fields.ts";
import { Quota } from "../../../src/http/headers/quota.ts";
import { createLimiter, fixedWindow, MINUTE } from "../../../src/index.ts";

const headers: Pick<Framework<unknown, Map<string, string>>, "header" | "setHeader"> = {
  header: (response, name) => response.get(name.toLowerCase()),
  setHeader: (response, name, value) => void response.set(name.toLowerCase(), value),
};

it("limiters of two generations whose headers have one name leave the least that remains", () => {
  const [strict, lax] = [2, 9].map((limit) => fixedWindow({ limit, windowMs: MINUTE }));
  const names = { limit: null, remaining: "ratelimit-remaining", reset: null };
  const legacy = { allowed: names, refused: names, resetAs: "delta" } as const;
  const common = { names: ["api"], isSpaced: false };
  const first = new Fields({
    ...common,
    legacy: null,
    standard: "draft-6",
    quotas: [new Quota(strict!)],
  });
  const second = new Fields({ ...common, legacy, standard: null, quotas: [new Quota(lax!)] });
  const decide = (policy: typeof strict): Decision =>
    createLimiter({ name: "api", policy: policy! }).check("ada");
  const response = new Map<string, string>();
  const framework = headers as Framework<unknown, Map<string, string>>;
  first.write(framework, response, decide(strict), null, null);
  second.write(framework, response, decide(lax), null, null);
  expect(response.get("ratelimit-remaining")).toBe("1");
});
