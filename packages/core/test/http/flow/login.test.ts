import { describe, expect, it } from "vitest";
import { manualClock } from "../../../src/testing.ts";
import { FakeRequest, Stand } from "../exchange.ts";

describe("the login preset", () => {
  const attempt = (user: string, address: string) =>
    Object.assign(new FakeRequest({ user }), { address });
  const make = () => new Stand({ preset: "login", username: ({ headers }) => headers["user"] });

  it("has a budget for each name and one for each address, and both must pass (K18)", () => {
    const stand = make();
    let address = 0;
    const spread = () => attempt("ada", `192.0.2.${address++}`);
    expect(stand.passes(9, spread)).toBe(5);
    let name = 0;
    const sprayed = () => attempt(`user-${name++}`, "198.51.100.1");
    expect(make().passes(60, sprayed)).toBe(50);
  });

  it("asks a limit function about names, and about names alone", async () => {
    const asked: unknown[] = [];
    const limits = new Map([
      ["ada", 2],
      ["root", Number.POSITIVE_INFINITY],
    ]);
    const limit = (_request: FakeRequest, _response: unknown, key: unknown) => {
      asked.push(key);
      return limits.get(String(key)) as number;
    };
    const username = ({ headers }: FakeRequest) => headers["user"];
    const stand = new Stand({ preset: "login", username, addressLimit: 100, limit });
    expect(stand.passes(30, () => attempt("ada", "192.0.2.1"))).toBe(2);
    expect(stand.passes(30, () => attempt("root", "192.0.2.1"))).toBe(30);
    expect(stand.passes(3)).toBe(3);
    expect(new Set(asked)).toEqual(new Set(["ada", "root"]));
    expect(() => stand.enter(attempt("eve", "192.0.2.1"))).toThrow(/'limit' must be/);
    const later = new Stand({ preset: "login", username: () => "ada", limit: async () => 1 });
    await later.enterLater();
    expect((await later.enterLater()).outcome?.status).toBe(429);
  });

  it("says once that a body with a name in it had not been parsed, and only then (K29)", () => {
    const stand = make();
    const attempt = (headers: Record<string, string>, body?: unknown): string[] => {
      stand.enter(Object.assign(new FakeRequest(headers), { body }));
      return stand.codes;
    };
    const form = { "content-type": "application/x-www-form-urlencoded", "content-length": "9" };
    const { "content-length": _length, ...empty } = form;
    expect(attempt({})).toEqual([]);
    expect(attempt(empty)).toEqual([]);
    expect(attempt({ ...form, "content-length": "0" })).toEqual([]);
    expect(attempt({ ...form, "content-type": "text/plain" })).toEqual([]);
    expect(attempt(form, {})).toEqual([]);
    expect(attempt({ ...form, user: "ada" })).toEqual([]);
    const streamed = {
      "content-type": "application/json; charset=utf-8",
      "transfer-encoding": "chunked",
    };
    expect(attempt(streamed)).toEqual(["TIDEGATE_BODY_UNREAD"]);
    expect(attempt(form)).toEqual(["TIDEGATE_BODY_UNREAD"]);
  });

  it("takes nothing from the address when the name refuses", () => {
    const stand = make();
    stand.passes(60, () => attempt("ada", "192.0.2.1"));
    const [byAddress] = stand.gate.limiters;
    expect(byAddress?.inspect("192.0.2.1").results[0]?.used).toBe(5);
  });

  it("sends no numbers and rounds waits up to minutes (K19)", () => {
    const clock = manualClock();
    const stand = new Stand({ preset: "login", clock, username: () => "ada" });
    expect([...stand.enter().response.headers.keys()]).toEqual([]);
    stand.passes(4);
    clock.advance(30_500);
    const { response, outcome } = stand.enter();
    expect([...response.headers.keys()].sort()).toEqual(["cache-control", "retry-after"]);
    expect([outcome?.status, response.get("retry-after")]).toEqual([429, "900"]);
  });
});
