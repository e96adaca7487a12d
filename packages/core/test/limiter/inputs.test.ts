import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import {
  concurrency,
  createLimiter,
  fixedWindow,
  type Limiter,
  type LimiterOptions,
  MINUTE,
  type Policy,
} from "../../src/index.ts";
import { manualClock } from "../../src/testing.ts";
import { ODD_VALUES, outcome } from "./odd-values.ts";

const INVALID = "TIDEGATE_OPTION_INVALID";
const MISSING = "TIDEGATE_OPTION_MISSING";
const TEN_YEARS_MS = 315_360_000_000;

// biome-ignore lint/suspicious/noExplicitAny: what is tested is what the types forbid.
type Anything = any;

const policy = fixedWindow({ limit: 3, windowMs: MINUTE });

function limiterOf(...policies: readonly Policy[]): Anything {
  return createLimiter({ name: "inputs", policies, clock: manualClock(1_000) });
}

/** One test for every odd value: those in `takes` come to what it says, all others to `code`. */
function takesOnly(
  code: string,
  takes: Readonly<Record<string, unknown>>,
  use: (value: Anything) => unknown,
): void {
  for (const [title, value] of ODD_VALUES) {
    const expected = title in takes ? takes[title] : code;
    const isRefused = typeof expected === "string" && expected.startsWith("TIDEGATE_");
    it(`${title} is ${isRefused ? `refused with ${expected}` : `taken: ${expected}`}`, () => {
      expect(outcome(() => use(value))).toEqual(expected);
    });
  }
}

describe("name of a limiter", () => {
  takesOnly(INVALID, { "a numeral": "5" }, (name) => createLimiter({ name, policy }).name);

  it("undefined is refused as missing", () => {
    expect(outcome(() => createLimiter({ policy } as unknown as LimiterOptions))).toBe(MISSING);
  });
});

describe("maxKeys", () => {
  const keep = (maxKeys: Anything) =>
    createLimiter({ name: "inputs", policy, maxKeys }).status().maxKeys;
  takesOnly(INVALID, {}, keep);

  it("undefined is a million", () => {
    expect(keep(undefined)).toBe(1_000_000);
  });

  it("goes from 1 to 16,777,214", () => {
    expect(keep(1)).toBe(1);
    expect(keep(16_777_214)).toBe(16_777_214);
    expect(outcome(() => keep(16_777_215))).toBe(INVALID);
  });
});

describe("clock", () => {
  takesOnly(INVALID, {}, (clock) => createLimiter({ name: "inputs", policy, clock }).name);

  it("undefined is the clock of the process", () => {
    expect(
      createLimiter({ name: "inputs", policy, clock: undefined }).check("ada").atMs,
    ).toBeGreaterThan(0);
  });

  it("that throws or gives no number leaves time where it is, and a check still answers", () => {
    const clock = {
      now: (): number => {
        throw new Error("no time");
      },
    };
    expect(createLimiter({ name: "inputs", policy, clock }).check("ada").allowed).toBe(true);
    const never = { now: (): number => Number.NaN };
    expect(createLimiter({ name: "inputs", policy, clock: never }).check("ada").allowed).toBe(true);
  });
});

describe("policy", () => {
  takesOnly(INVALID, {}, (given) => createLimiter({ name: "inputs", policy: given }));

  it("that looks like one and was not made by its function is refused", () => {
    expect(outcome(() => createLimiter({ name: "inputs", policy: { ...policy } }))).toBe(INVALID);
  });

  it("undefined is refused as missing, unless there are policies", () => {
    expect(outcome(() => createLimiter({ name: "inputs" }))).toBe(MISSING);
    const policies = [policy];
    expect(createLimiter({ name: "inputs", policy: undefined, policies }).policies).toEqual([
      policy,
    ]);
  });

  it("beside policies is a conflict", () => {
    const both = { name: "inputs", policy, policies: [policy] };
    expect(outcome(() => createLimiter(both))).toBe("TIDEGATE_OPTION_CONFLICT");
  });
});

describe("policies", () => {
  takesOnly(INVALID, {}, (policies) => createLimiter({ name: "inputs", policies }));

  it("are 1 to 16", () => {
    const named = (count: number): Policy[] =>
      Array.from({ length: count }, (_, index) => concurrency({ limit: 1, name: `p${index}` }));
    expect(limiterOf(...named(16)).policies).toHaveLength(16);
    expect(outcome(() => limiterOf(...named(17)))).toBe(INVALID);
    expect(outcome(() => limiterOf())).toBe(INVALID);
  });

  it("of one name are a conflict", () => {
    expect(outcome(() => limiterOf(policy, policy))).toBe("TIDEGATE_OPTION_CONFLICT");
  });

  it("with penalties are a conflict when there are two", () => {
    const strict = (name: string): Policy =>
      fixedWindow({ name, limit: 1, windowMs: 10, drain: true });
    expect(outcome(() => limiterOf(strict("one"), strict("two")))).toBe("TIDEGATE_OPTION_CONFLICT");
  });
});

describe("an option that createLimiter does not know", () => {
  it("is refused", () => {
    const options = { name: "inputs", policy, max: 5 };
    expect(outcome(() => createLimiter(options))).toBe("TIDEGATE_OPTION_UNKNOWN");
  });
});

describe.each(["check", "peek", "charge"] as const)("cost of %s", (method) => {
  const COST = "TIDEGATE_COST_INVALID";
  const most = method === "charge";
  takesOnly(
    COST,
    { "0": true, "-0": true, "2^53 - 1": most },
    (cost) => limiterOf(policy)[method]("ada", cost).allowed,
  );

  it("undefined is 1", () => {
    const limiter = limiterOf(policy);
    limiter[method]("ada", undefined);
    expect(limiter.peek("ada").used).toBe(method === "peek" ? 0 : 1);
  });

  it("0 counts nothing and keeps nothing in memory", () => {
    const limiter = limiterOf(policy);
    limiter[method]("ada", 0);
    expect(limiter.status().keys).toBe(0);
  });
});

describe("cost of a refund", () => {
  const COST = "TIDEGATE_COST_INVALID";
  const refund = (cost: Anything): number => {
    const limiter = limiterOf(policy);
    limiter.refund("ada", cost, limiter.check("ada", 2));
    return limiter.peek("ada").used;
  };
  takesOnly(COST, { "0": 2, "-0": 2, "2^53 - 1": 0 }, refund);

  it("undefined is refused", () => {
    expect(outcome(() => refund(undefined))).toBe(COST);
  });
});

describe("cost of a release", () => {
  const COST = "TIDEGATE_COST_INVALID";
  const release = (cost: Anything): number => {
    const limiter = limiterOf(concurrency({ limit: 3 }));
    limiter.check("ada", 2);
    limiter.release("ada", cost);
    return limiter.peek("ada").used;
  };
  takesOnly(COST, { "0": 2, "-0": 2, "2^53 - 1": 0 }, release);

  it("undefined is 1", () => {
    expect(release(undefined)).toBe(1);
  });
});

describe("options of a release", () => {
  const release = (options: Anything): unknown =>
    outcome(() => limiterOf(concurrency({ limit: 3 })).release("ada", 2, options));

  it("are weights by policy and nothing else", () => {
    expect(release({ weights: { concurrency: 2 } })).toBeUndefined();
    expect(release({ weights: undefined })).toBeUndefined();
    expect(release(null)).toBe(INVALID);
    expect(release({ limit: 2 })).toBe("TIDEGATE_OPTION_UNKNOWN");
    expect(release({ weights: { another: 1 } })).toBe("TIDEGATE_OPTION_UNKNOWN");
    expect(release({ weights: { concurrency: -1 } })).toBe(INVALID);
    expect(release({ weights: { concurrency: 2 ** 53 - 1 } })).toBe("TIDEGATE_COST_INVALID");
  });
});

describe("decision of a refund", () => {
  takesOnly("TIDEGATE_DECISION_INVALID", {}, (decision) =>
    limiterOf(policy).refund("ada", 1, decision),
  );

  it("that was copied is refused", () => {
    const limiter = limiterOf(policy);
    const copy = { ...limiter.check("ada") };
    expect(outcome(() => limiter.refund("ada", 1, copy))).toBe("TIDEGATE_DECISION_INVALID");
  });
});

describe("duration of a block", () => {
  const block = (forMs: Anything): number => {
    const limiter = limiterOf(policy);
    limiter.block("ada", forMs);
    return limiter.check("ada").retryAfterMs;
  };
  takesOnly(INVALID, {}, block);

  it("goes from 1 ms to ten years, and undefined is refused", () => {
    expect(block(1)).toBe(1);
    expect(block(TEN_YEARS_MS)).toBe(TEN_YEARS_MS);
    expect(outcome(() => block(TEN_YEARS_MS + 1))).toBe(INVALID);
    expect(outcome(() => block(undefined))).toBe(INVALID);
  });
});

describe.each(["release", "refund"] as const)("%s", (method) => {
  it("is refused by a limiter that has nothing for it", () => {
    const limiter = limiterOf(method === "release" ? policy : concurrency({ limit: 3 }));
    const use = () =>
      method === "release"
        ? limiter.release("ada")
        : limiter.refund("ada", 1, limiter.check("ada"));
    expect(outcome(use)).toBe("TIDEGATE_POLICY_UNSUITABLE");
  });
});

const KEYED: Readonly<Record<string, (limiter: Limiter, key: Anything) => unknown>> = {
  check: (limiter, key) => limiter.check(key).allowed,
  peek: (limiter, key) => limiter.peek(key).allowed,
  charge: (limiter, key) => limiter.charge(key).allowed,
  refund: (limiter, key) => limiter.refund(key, 1, limiter.check("ada")),
  release: (limiter, key) => limiter.release(key),
  reset: (limiter, key) => limiter.reset(key),
  block: (limiter, key) => limiter.block(key, 1),
  unblock: (limiter, key) => limiter.unblock(key),
  inspect: (limiter, key) => limiter.inspect(key).known,
};

describe.each(Object.keys(KEYED))("key of %s", (method) => {
  const use = (key: Anything): unknown =>
    KEYED[method]!(limiterOf(policy, concurrency({ limit: 3 })), key);
  const taken = use("grace");
  takesOnly("TIDEGATE_KEY_INVALID", { "an empty string": taken, "a numeral": taken }, use);

  it("undefined is refused, and so are other buffers and views", () => {
    for (const key of [
      undefined,
      new ArrayBuffer(2),
      new Uint16Array(2),
      new DataView(new ArrayBuffer(2)),
    ]) {
      expect(outcome(() => use(key))).toBe("TIDEGATE_KEY_INVALID");
    }
  });
});

describe("a key", () => {
  it("as a string and as its UTF-8 bytes is the same one, in any realm", () => {
    for (const key of ["ada", "Zoë", "", "鍵", "x".repeat(100_000)]) {
      const limiter = limiterOf(policy);
      limiter.check(key);
      expect(limiter.check(Buffer.from(key)).used).toBe(2);
      const bytes: unknown = runInNewContext("Uint8Array.from(given)", {
        given: [...Buffer.from(key)],
      });
      expect(limiter.check(bytes).used).toBe(3);
    }
  });

  it("with half of a surrogate pair is the one with U+FFFD in its place", () => {
    const limiter = limiterOf(policy);
    limiter.check("\ud800");
    expect(limiter.check("\ufffd").used).toBe(2);
  });

  it("is taken as it is: case, spaces and normal forms tell keys apart", () => {
    const limiter = limiterOf(policy);
    for (const key of ["ada", "Ada", "ada ", "\u00e9", "e\u0301", "a\u0000"]) {
      expect(limiter.check(key).used).toBe(1);
    }
  });
});
