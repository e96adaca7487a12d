import { afterEach, describe, expect, it } from "vitest";
import { fixedWindow, HOUR, MINUTE } from "../../../src/index.ts";
import { type FakeOptions, FakeRequest, FakeResponse, Stand } from "../exchange.ts";

afterEach(() => Stand.closeAll());

/** The fields of a request that every stand but the last allows. */
function told(...options: readonly FakeOptions[]): {
  readonly limits: readonly string[];
  readonly policies: readonly string[];
  readonly violated: unknown;
} {
  const [request, response] = [new FakeRequest(), new FakeResponse()];
  const outcomes = options.map((given) => new Stand(given).enter(request, response).outcome);
  const namesIn = (field: string): string[] =>
    Array.from((response.get(field) ?? "").matchAll(/"([^"]*)"/g), ([, name = ""]) => name);
  const problem: Record<string, unknown> = JSON.parse(outcomes.at(-1)?.problem ?? "{}");
  return {
    limits: namesIn("ratelimit"),
    policies: namesIn("ratelimit-policy"),
    violated: problem["violated-policies"],
  };
}

const api = (limit: number): FakeOptions => ({ preset: "api", limit });

describe("a problem", () => {
  it("names what the fields name, where limiters of one name are stacked (B1)", () => {
    const { limits, policies, violated } = told(api(9), api(9), api(0));
    expect(limits).toEqual(["default", "default-2", "default-3"]);
    expect([policies, violated]).toEqual([limits, ["default-3"]]);
  });

  it("names a policy as a function does, or as usual where no field can carry that (B1)", () => {
    expect(told({ ...api(0), identifier: () => "plan-free" })).toEqual({
      limits: ["plan-free"],
      policies: ["plan-free"],
      violated: ["plan-free"],
    });
    expect(told({ ...api(0), identifier: () => "é" }).violated).toEqual(["default"]);
  });

  it("names policies as usual where no field names them", () => {
    expect(told({ ...api(0), standardHeaders: "draft-6" }).violated).toEqual(["default"]);
    const older: FakeOptions = { limit: 9, legacyHeaders: false, standardHeaders: "draft-7" };
    expect(told(older, api(0)).violated).toEqual(["default"]);
  });
});

describe("names in fields", () => {
  it("occur once, where a name is another's with the number behind it (H9)", () => {
    const policies = ["a", "a-2"].map((name, index) =>
      fixedWindow({ name, limit: 5 + index, windowMs: MINUTE }),
    );
    const { limits } = told({ preset: "api", name: "a", limit: 5 }, { preset: "api", policies });
    expect(limits).toEqual(["a", "a-2", "a-2-2"]);
  });

  it.each([["same"], [() => "same"]])("are not one name of several policies (H9)", (identifier) => {
    const policies = [
      fixedWindow({ name: "short", limit: 5, windowMs: MINUTE }),
      fixedWindow({ name: "long", limit: 50, windowMs: HOUR }),
    ];
    expect(() => new Stand({ preset: "api", policies, identifier })).toThrow(
      /'identifier' names the only policy.*\[TIDEGATE_OPTION_CONFLICT\]/,
    );
    const only = policies.slice(0, 1);
    expect(told({ preset: "api", policies: only, identifier }).limits).toEqual(["same"]);
  });
});

it("parameters follow a space in draft-8 where the limiter replaced writes one", () => {
  const policies = (preset: "parity" | "api"): string | undefined => {
    const options = { preset, limit: 5, legacyHeaders: false, standardHeaders: "draft-8" } as const;
    return new Stand(options).enter().response.get("ratelimit-policy");
  };
  expect(policies("parity")).toBe('"5-in-60000"; q=5; w=60');
  expect(policies("api")).toBe('"default";q=5;w=60');
});
