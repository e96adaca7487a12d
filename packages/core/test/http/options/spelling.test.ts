import { describe, expect, it } from "vitest";
import { invalidOption } from "../../../src/base/options.ts";
import { inGivenNames, spelled } from "../../../src/http.ts";

const FURTHER = { limit: ["max"], key: ["id", "keyGenerator"] };

describe("options of several names", () => {
  it("are taken under any of them, and known by both", () => {
    expect(spelled({ max: 5, keyGenerator: undefined, other: 1 }, FURTHER)).toEqual({
      ...{ options: { limit: 5 }, names: { limit: "max" } },
    });
    expect(spelled({ max: 5, limit: 5 }, FURTHER).names).toEqual({ limit: "limit" });
    expect(() => spelled({ id: "a", keyGenerator: "b" }, FURTHER)).toThrow(
      /^'id' and 'keyGenerator' are two names of one option and differ/,
    );
  });

  it("appear in errors under the name that was given", () => {
    const told = (error: Error) => () =>
      inGivenNames({ limit: "max", allow: "allowList" }, () => {
        throw error;
      });
    expect(told(invalidOption("limit", "below 'limitless'", "limit"))).toThrow(
      /^'max' must be below 'limitless', got "limit" \[TIDEGATE_OPTION_INVALID\]$/,
    );
    expect(told(invalidOption("allow[0]", "a key", 5))).toThrow(/^'allowList\[0\]' must be a key/);
    expect(told(new Error("'limit' of others"))).toThrow(/^'limit' of others$/);
    expect(inGivenNames({}, () => "made")).toBe("made");
  });
});
