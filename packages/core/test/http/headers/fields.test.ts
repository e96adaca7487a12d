import { parseDictionary, parseList } from "structured-headers";
import { describe, expect, it } from "vitest";
import {
  concurrency,
  fixedWindow,
  HOUR,
  MINUTE,
  type Policy,
  SECOND,
  slidingLog,
  tokenBucket,
} from "../../../src/index.ts";
import { manualClock } from "../../../src/testing.ts";
import { type FakeOptions, FakeRequest, FakeResponse, Stand } from "../exchange.ts";

const quiet = { legacyHeaders: false } as const;

/** One request through several gates, as when limiters are stacked. */
function through(...stands: readonly Stand[]): FakeResponse {
  const response = new FakeResponse();
  const request = new FakeRequest();
  for (const stand of stands) {
    if (stand.enter(request, response).outcome !== null) break;
  }
  return response;
}

function fieldsOf(options: FakeOptions, response = new FakeResponse()): Record<string, string> {
  new Stand(options).enter(new FakeRequest(), response);
  return Object.fromEntries(response.headers);
}

describe("fields of one limit", () => {
  const clock = manualClock();
  const options = { limit: 5, windowMs: 90_500, clock, ...quiet };

  it("are three items and a policy in draft-6", () => {
    expect(fieldsOf({ ...options, standardHeaders: "draft-6" })).toEqual({
      "ratelimit-policy": "5;w=91",
      "ratelimit-limit": "5",
      "ratelimit-remaining": "4",
      "ratelimit-reset": "91",
    });
  });

  it("are a dictionary in draft-7", () => {
    const fields = fieldsOf({ ...options, standardHeaders: "draft-7" });
    expect(fields["ratelimit"]).toBe("limit=5, remaining=4, reset=91");
    expect([...parseDictionary(fields["ratelimit"] ?? "").keys()]).toHaveLength(3);
  });

  it.each(["draft-8", "draft-11"] as const)(
    "are named lists in %s, in the canonical form",
    (draft) => {
      expect(
        fieldsOf({ ...options, standardHeaders: draft, name: "api", preset: "api" }),
      ).toMatchObject({
        "ratelimit-policy": '"api";q=5;w=91',
        ratelimit: '"api";r=4;t=91',
      });
    },
  );

  it("have a window of at least a second (H4), and the same policy every time (H10)", () => {
    const stand = new Stand({
      limit: 2,
      windowMs: 10,
      clock,
      ...quiet,
      standardHeaders: "draft-11",
    });
    const policies = [1, 2, 3].map(() => stand.enter().response.get("ratelimit-policy"));
    expect(new Set(policies)).toEqual(new Set(['"2-in-10";q=2;w=1']));
  });

  it("are the same after a refusal, with the wait as t and as Retry-After (H13, W31)", () => {
    const stand = new Stand({ limit: 1, clock, ...quiet, standardHeaders: "draft-11" });
    stand.enter();
    clock.advance(10_001);
    const { response } = stand.enter();
    expect(response.get("ratelimit")).toBe('"1-in-60000";r=0;t=50');
    expect(response.get("retry-after")).toBe("50");
  });

  it("clamp what has more than 15 digits (H3)", () => {
    const fields = fieldsOf({ ...quiet, limit: Infinity, standardHeaders: "draft-11" });
    expect(fields["ratelimit-policy"]).toContain(";q=999999999999999;");
  });

  it("call a policy by its identifier, and fall back when that cannot be written (W25)", () => {
    const named = (identifier: NonNullable<FakeOptions["identifier"]>) =>
      fieldsOf({ ...quiet, standardHeaders: "draft-8", identifier })["ratelimit"];
    expect(named('a"b')).toBe('"a\\"b"; r=4; t=60');
    expect(named(() => "fine")).toBe('"fine"; r=4; t=60');
    for (const bad of ["é", "", 7 as never, undefined as never]) {
      expect(named(() => bad)).toBe('"5-in-60000"; r=4; t=60');
    }
  });

  it("write nothing when the headers are gone (H26)", () => {
    const sent = Object.assign(new FakeResponse(), { headersSent: true });
    expect(fieldsOf({ limit: 0, standardHeaders: "draft-6" }, sent)).toEqual({});
  });
});

describe("fields of several policies", () => {
  const policies: readonly Policy[] = [
    fixedWindow({ name: "permin", limit: 50, windowMs: MINUTE }),
    fixedWindow({ name: "perhr", limit: 2, windowMs: HOUR }),
    concurrency({ name: "open", limit: 3 }),
  ];

  it("name all of them in lists, places without a window (H7, H9)", () => {
    const fields = fieldsOf({ policies, ...quiet, standardHeaders: "draft-11" });
    expect(fields["ratelimit-policy"]).toBe(
      '"permin";q=50;w=60, "perhr";q=2;w=3600, "open";q=3;qu="concurrent-requests"',
    );
    expect(fields["ratelimit"]).toBe('"permin";r=49;t=60, "perhr";r=1;t=3600, "open";r=2');
  });

  it("show the policy with the least remaining where there is room for one (H19, W27)", () => {
    const fields = fieldsOf({ policies, ...quiet, standardHeaders: "draft-6" });
    expect(fields).toMatchObject({ "ratelimit-limit": "2", "ratelimit-remaining": "1" });
    expect(fields["ratelimit-policy"]).toBe("50;w=60, 2;w=3600");
    const seven = fieldsOf({ policies, ...quiet, standardHeaders: "draft-7" });
    expect(seven["ratelimit"]).toBe("limit=2, remaining=1, reset=3600");
    expect(fieldsOf({ policies, legacyHeaders: true })["x-limit"]).toBe("2");
  });

  it("list no two policies of one quota in the older drafts (H20)", () => {
    const twins = [
      fixedWindow({ name: "a", limit: 5, windowMs: MINUTE }),
      slidingLog({ name: "b", limit: 5, windowMs: HOUR }),
    ];
    const fields = fieldsOf({ policies: twins, ...quiet, standardHeaders: "draft-7" });
    expect(fields["ratelimit-policy"]).toBe("5;w=60");
  });
});

describe("fields of stacked limiters", () => {
  const stand = (
    limit: number,
    standardHeaders: FakeOptions["standardHeaders"],
    windowMs = MINUTE,
  ) => new Stand({ limit, windowMs, standardHeaders, legacyHeaders: true });

  it("list every policy, names told apart (H9, H22)", () => {
    const both = through(stand(5, "draft-11"), stand(9, "draft-8"), stand(5, "draft-11"));
    expect(parseList(both.get("ratelimit-policy") ?? "").map(([name]) => name)).toEqual([
      "5-in-60000",
      "9-in-60000",
      "5-in-60000-2",
    ]);
    expect(parseList(both.get("ratelimit") ?? "")).toHaveLength(3);
  });

  it.each([
    [5, 9],
    [9, 5],
  ])("show the least remaining in either order: %i then %i (H19, W27)", (first, second) => {
    for (const draft of ["draft-6", "draft-7"] as const) {
      const response = through(stand(first, draft, SECOND), stand(second, draft, MINUTE));
      const least =
        draft === "draft-6" ? response.get("ratelimit-remaining") : response.get("ratelimit");
      expect(least).toMatch(/(^|remaining=)4/);
      expect(response.get("x-remaining")).toBe("4");
      expect(response.get("x-limit")).toBe("5");
      expect(response.get("ratelimit-policy")?.split(", ")).toHaveLength(2);
    }
  });

  it("show the limiter that refuses", () => {
    const response = through(stand(1, "draft-6"), stand(0, "draft-6", HOUR));
    expect(response.get("x-limit")).toBe("0");
    expect(response.get("retry-after")).toBe("3600");
  });

  it("stay apart from fields of another generation (H1)", () => {
    const response = through(stand(5, "draft-6"), stand(9, "draft-11"));
    expect(response.get("ratelimit-policy")).toBe("5;w=60");
    const other = through(stand(5, "draft-11"), stand(9, "draft-7"));
    expect(other.get("ratelimit")).toBe('"5-in-60000";r=4;t=60');
  });

  it("are added to those of an upstream server, which stay (S14)", () => {
    const response = new FakeResponse();
    response.headers.set("ratelimit-policy", '"edge";q=1;w=1');
    response.headers.set("ratelimit", '"edge";r=0;t=1');
    stand(5, "draft-11").enter(new FakeRequest(), response);
    expect(response.get("ratelimit")).toBe('"edge";r=0;t=1, "5-in-60000";r=4;t=60');
  });

  it("send the longest wait only, in one line (H16)", () => {
    const response = new FakeResponse();
    response.headers.set("retry-after", "600");
    stand(0, false).enter(new FakeRequest(), response);
    expect(response.get("retry-after")).toBe("600");
    const later = new FakeResponse();
    later.headers.set("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT");
    stand(0, false).enter(new FakeRequest(), later);
    expect(later.get("retry-after")).toBe("60");
  });
});

describe("fields of a bucket", () => {
  it("never suggest a rate above the bucket's own (H24)", () => {
    const clock = manualClock();
    const policies = [tokenBucket({ capacity: 10, refillPerSecond: 2 })];
    const stand = new Stand({ policies, clock, ...quiet, standardHeaders: "draft-11" });
    const told = Array.from({ length: 12 }, () => stand.enter().response.get("ratelimit"));
    expect(told.slice(0, 2)).toEqual(['"tokenBucket";r=9;t=5', '"tokenBucket";r=8;t=4']);
    expect(told.at(-1)).toBe('"tokenBucket";r=0;t=1');
    clock.advance(300);
    expect(stand.enter().response.get("retry-after")).toBe("1");
  });
});

describe("responses without fields", () => {
  const options = { ...quiet, standardHeaders: "draft-11" } as const;

  it("are redirects and cacheable ones where that is asked for (H23, S5)", () => {
    const stand = new Stand({ ...options, omitHeaders: ["redirects", "cacheable"] });
    const answer = (status: number, control?: string): string | undefined => {
      const { response } = stand.enter();
      if (control !== undefined) response.headers.set("cache-control", control);
      response.finish(status);
      return response.get("ratelimit");
    };
    expect(answer(302)).toBeUndefined();
    expect(answer(200, "public, max-age=60")).toBeUndefined();
    expect(answer(200, "no-store, max-age=0")).toBeDefined();
    expect(answer(200)).toBeDefined();
    const usual = new Stand(options).enter().response;
    usual.finish(302);
    expect(usual.get("ratelimit")).toBeDefined();
  });
});

describe("partition keys", () => {
  const secret = "0123456789abcdef";
  const shown = (partitionKey: FakeOptions["partitionKey"]) =>
    fieldsOf({ ...quiet, standardHeaders: "draft-11", partitionKey })["ratelimit"];

  it("are not sent unless asked for (PK1)", () => {
    expect(shown(undefined)).not.toContain("pk=");
    expect(shown(false)).not.toContain("pk=");
  });

  it("depend on the key and the secret alone, in every process (PK3, PK4, H6)", () => {
    expect(shown({ secret })).toBe('"5-in-60000";r=4;t=60;pk=:g0ZI9nJMMGoHts6Q:');
    expect(shown({ secret })).toBe(shown({ secret }));
    expect(shown({ secret: `${secret}x` })).not.toBe(shown({ secret }));
    expect(parseList(shown({ secret, bytes: 9 }) ?? "")[0]?.[1].get("pk")).toHaveProperty(
      "byteLength",
      9,
    );
  });

  it("may be the user's own bytes (PK2)", () => {
    expect(shown(() => Uint8Array.of(1, 2, 3))).toContain("pk=:AQID:");
    expect(shown(() => "nonsense" as never)).not.toContain("pk=");
  });

  it("may be there later, or fail as onError says (PK2, K23, H26)", async () => {
    const enter = async (partitionKey: FakeOptions["partitionKey"], response: FakeResponse) => {
      const options = { standardHeaders: "draft-11", onError: "closed", partitionKey } as const;
      return (await new Stand(options).enterLater(undefined, response)).outcome;
    };
    const response = new FakeResponse();
    expect(await enter(async () => Uint8Array.of(1, 2, 3), response)).toBeNull();
    expect(response.get("ratelimit")).toContain("pk=:AQID:");
    const rejecting = () => Promise.reject(new Error("no"));
    expect((await enter(rejecting, new FakeResponse()))?.status).toBe(503);
    const hasty = new FakeResponse();
    const entering = enter(async () => Uint8Array.of(1), hasty);
    hasty.finish();
    await entering;
    expect([...hasty.headers]).toEqual([]);
  });
});

describe("scripts of other origins", () => {
  const names = "RateLimit, RateLimit-Policy, Retry-After";

  it("may read the names, beside those that are there (S9, S10)", () => {
    const exposed = (before?: string): string | undefined => {
      const response = new FakeResponse();
      if (before !== undefined) response.headers.set("access-control-expose-headers", before);
      return fieldsOf({ preset: "api", limit: 5 }, response)["access-control-expose-headers"];
    };
    expect(exposed()).toBe(names);
    expect(exposed("X-Id, ratelimit")).toBe("X-Id, ratelimit, RateLimit-Policy, Retry-After");
    expect(exposed("*")).toBe(`*, ${names}`);
    expect(exposed(names)).toBe(names);
    expect(fieldsOf({})["access-control-expose-headers"]).toBeUndefined();
    expect(fieldsOf({ exposeHeaders: true })["access-control-expose-headers"]).toBe(
      "X-Limit, X-Remaining, X-Reset, Retry-After",
    );
  });
});
