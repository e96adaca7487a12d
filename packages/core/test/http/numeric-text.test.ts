import { afterEach, describe, expect, it } from "vitest";
import { type FakeOptions, FakeRequest, Stand } from "./exchange.ts";

afterEach(() => {
  Stand.closeAll();
});

const NONE = ["", " ", "5 ", "+5", "-5", "1e3", "0x5", "5.5", "1".repeat(16), "five"];

describe("a number that is text, as from an environment variable", () => {
  it("counts as the number, with one warning that shows it", () => {
    const stand = new Stand({ limit: "2", windowMs: "5000" } as unknown as FakeOptions);
    expect(stand.passes(4)).toBe(2);
    expect(stand.enter().response.get("x-limit")).toBe("2");
    expect(stand.gate.limiter?.policies).toMatchObject([{ limit: 2, windowMs: 5_000 }]);
    expect(stand.codes).toEqual(["TIDEGATE_NUMBER_AS_TEXT"]);
    expect(stand.warnings[0]?.message).toContain(`'limit' is "2"`);
  });

  it("counts as the number where a function answers with it, with one warning", () => {
    const options = { limit: () => "2", windowMs: () => "5000" };
    const stand = new Stand(options as unknown as FakeOptions);
    expect(stand.passes(4)).toBe(2);
    expect(stand.gate.limiters[1]?.policies).toMatchObject([{ windowMs: 5_000 }]);
    expect(stand.codes).toEqual(["TIDEGATE_NUMBER_AS_TEXT"]);
  });

  it("counts as the number with the preset login, too", () => {
    const username = () => "ada";
    for (const limit of ["1", () => "1"]) {
      const stand = new Stand({ preset: "login", username, limit, windowMs: "5000" } as never);
      expect(stand.passes(3)).toBe(1);
      expect(stand.gate.limiter?.policies).toMatchObject([{ windowMs: 5_000 }]);
    }
  });

  it.each(NONE)("is refused where it has other characters than digits: %o", (text) => {
    for (const name of ["limit", "windowMs"]) {
      const message = new RegExp(`'${name}' must be`);
      expect(() => new Stand({ [name]: text })).toThrow(message);
      const stand = new Stand({ [name]: () => text });
      expect(() => stand.enter(new FakeRequest())).toThrow(message);
    }
  });
});
