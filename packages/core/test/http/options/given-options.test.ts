import { describe, expect, it } from "vitest";
import { invalidOption } from "../../../src/base/options.ts";
import { inGivenNames } from "../../../src/http/options/given-options.ts";
import { isCalledBy } from "../../../src/http/warnings.ts";
import {
  onlyGiven,
  optionsIn,
  pickGateOptions,
  readOptions,
  spelled,
  type TidegateWarning,
  Warnings,
  withKeySecond,
} from "../../../src/http.ts";
import { type FakeRequest, type FakeResponse, Stand } from "../exchange.ts";

const FURTHER = { limit: ["max"], key: ["id", "keyGenerator"] };

describe("what users gave", () => {
  it("has no options that are undefined or null", () => {
    expect(onlyGiven({ limit: undefined, name: null, windowMs: 0 })).toEqual({ windowMs: 0 });
  });

  it("is an object of options, and no list, map or promise of them", () => {
    const options = { limit: 1 };
    expect(optionsIn("rateLimit", options)).toBe(options);
    for (const given of [
      [],
      new Map([["limit", 1]]),
      new Set(),
      Promise.resolve(options),
      null,
      5,
    ]) {
      expect(() => optionsIn("rateLimit", given as object)).toThrow("takes an options object");
    }
  });

  it("is taken by every adapter as far as it knows the names", () => {
    expect(pickGateOptions({ limit: 1, max: 2, name: undefined })).toEqual({ limit: 1 });
  });

  it("gives one warning if it is unknown", () => {
    const said: TidegateWarning[] = [];
    const warnings = new Warnings(true, (warning) => said.push(warning));
    const names = { own: ["validate"], further: { limit: ["max"] } };
    readOptions({ max: 2, validate: true, lmit: 3, mx: 4 }, names, warnings);
    readOptions({ max: 2, lmit: 3 }, names, warnings);
    expect(said.map(({ code }) => code)).toEqual(["TIDEGATE_OPTION_UNREAD"]);
    expect(said[0]?.message).toContain(
      "'lmit' (did you mean 'limit'?), 'mx' (did you mean 'max'?).",
    );
  });

  it("may have functions that take the key right behind the request", () => {
    const told: unknown[][] = [];
    const tell =
      <Answer>(answer: Answer) =>
      (...given: unknown[]): Answer => {
        told.push(given);
        return answer;
      };
    const options = withKeySecond<FakeRequest, FakeResponse>({
      ...{ limit: tell(3), windowMs: tell(1_000), cost: tell(1) },
      ...{ allow: tell(false), block: tell(false), key: () => "ada" },
    });
    const { request, response } = new Stand(options).enter();
    expect(told).toHaveLength(5);
    for (const given of told) expect(given).toEqual([request, "ada", response]);
  });
});

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

describe("who calls", () => {
  it("is found on the stack, however short traces usually are", () => {
    const { stackTraceLimit } = Error;
    const handleRequest = (depth: number): boolean =>
      depth === 0 ? isCalledBy(/\bhandleRequest\b/) : [depth - 1].map(handleRequest)[0] === true;
    expect(handleRequest(9)).toBe(true);
    expect(isCalledBy(/\bhandleRequest\b/)).toBe(false);
    expect(Error.stackTraceLimit).toBe(stackTraceLimit);
  });
});
