import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { afterEach, expect, it } from "vitest";
import type { Refusal } from "../../../src/http.ts";
import { MINUTE } from "../../../src/index.ts";
import { type FakeOptions, FakeRequest, FakeResponse, Stand } from "../exchange.ts";

afterEach(() => {
  Stand.closeAll();
});

type Answer = (request: FakeRequest) => unknown;

/** What users' functions answer with, by what a request says. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  skip: ({ headers }) => headers["skip"] !== undefined,
  key: ({ headers }) => (headers["user"] === "none" ? false : headers["user"]),
  ipv6Subnet: ({ headers }) => (headers["plan"] === "free" ? 48 : false),
  block: ({ headers }) => headers["user"] === "eve",
  allow: ({ headers }) => headers["user"] === "root",
  windowMs: ({ headers }) => (headers["plan"] === "free" ? 1_000 : MINUTE),
  limit: ({ headers }) => (headers["plan"] === "free" ? 2 : 6),
  cost: ({ headers }) => Number(headers["cost"] ?? 1),
  identifier: ({ headers }) => headers["plan"] ?? "\n",
  partitionKey: ({ headers }) => Buffer.from(headers["user"] ?? ""),
  retryAfter: ({ headers }) => (headers["plan"] === "free" ? 9 : 0),
  requestWasSuccessful: ({ headers }) => headers["plan"] === "free",
  countIf: ({ headers }) => headers["plan"] !== "free",
  charge: ({ headers }) => Number(headers["cost"] ?? 1),
};

const LOGIN_ANSWERS: Readonly<Record<string, Answer>> = {
  ...Object.fromEntries(
    ["skip", "allow", "block", "retryAfter"].map((name) => [name, ANSWERS[name]!]),
  ),
  username: ({ headers }) => headers["user"],
  limit: ({ headers }) => (headers["plan"] === "free" ? 1 : Number.POSITIVE_INFINITY),
};

const requests = fc.array(
  fc.record({
    headers: fc.record(
      {
        skip: fc.constant("yes"),
        user: fc.constantFrom("ada", "eve", "root", "none", ""),
        plan: fc.constantFrom("free", "paid"),
        cost: fc.constantFrom("1", "2", "9", "-1"),
        fails: fc.constantFrom(...Object.keys(ANSWERS), "username"),
      },
      { requiredKeys: [] },
    ),
    address: fc.constantFrom("192.0.2.1", "2001:db8::1", "2001:db8:0:1::2", undefined),
    status: fc.constantFrom(200, 404),
  }),
  { minLength: 1, maxLength: 30 },
);

const settings = fc.record({
  standardHeaders: fc.constantFrom("draft-8", "draft-11"),
  legacyHeaders: fc.boolean(),
  onError: fc.constantFrom("throw", "open", "closed"),
  dryRun: fc.boolean(),
});
const chosen = fc.subarray(Object.keys(ANSWERS).filter((name) => name !== "countIf"));
const plain = fc
  .tuple(settings, chosen, fc.boolean())
  .map(([given, names, countsLater]): [object, string[]] => {
    if (countsLater) return [given, [...names.filter((name) => name !== "charge"), "countIf"]];
    const skipFailedRequests = names.includes("requestWasSuccessful");
    return [{ ...given, skipFailedRequests, limit: 6 }, names];
  });
const login = settings.map((given): [object, string[]] => [
  { ...given, preset: "login" },
  Object.keys(LOGIN_ANSWERS),
]);

/** Options with the functions named, each answering in the way that `as` puts its answer. */
function optionsWith(
  [given, names]: [object, string[]],
  as: (answer: () => unknown) => unknown,
): FakeOptions {
  const answers = "preset" in given ? LOGIN_ANSWERS : ANSWERS;
  const functions = names.map((name) => [
    name,
    (request: FakeRequest) =>
      as(() => {
        if (request.headers["fails"] === name) throw new Error(`no ${name}`);
        return answers[name]!(request);
      }),
  ]);
  return { clock: { now: () => 1_000 }, ...given, ...Object.fromEntries(functions) };
}

const WAYS: Readonly<Record<string, (answer: () => unknown) => unknown>> = {
  promise: async (answer) => answer(),
  // Anything with a `then` is waited for, and it may settle at once.
  thenable: (answer) => ({
    // biome-ignore lint/suspicious/noThenProperty: it is what is tested.
    then: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => {
      try {
        resolve(answer());
      } catch (error) {
        reject(error);
      }
    },
  }),
};

function shown(outcome: Refusal | null): unknown {
  if (outcome === null) return null;
  const { verdict, ...rest } = outcome;
  return { ...rest, used: verdict?.used, policy: verdict?.policy };
}

function caught(error: unknown): string {
  return (error as Error).message;
}

function counts({ gate }: Stand): unknown {
  const keys = [
    "ada",
    "eve",
    "root",
    "192.0.2.1",
    "2001:db8::/48",
    "2001:db8::1",
    "2001:db8:0:1::2",
  ];
  return gate.limiters.map((limiter) => keys.map((key) => limiter.inspect(key).results[0]?.used));
}

it("functions that return promises lead to the same answers, headers and counts as values", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof({ weight: 4, arbitrary: plain }, { weight: 1, arbitrary: login }),
      fc.constantFrom(...Object.keys(WAYS)),
      requests,
      async (given, way, all) => {
        const now = new Stand(optionsWith(given, (answer) => answer()));
        const later = new Stand(optionsWith(given, WAYS[way]!));
        for (const { headers, address, status } of all) {
          const [mine, others] = [new FakeResponse(), new FakeResponse()];
          const request = (): FakeRequest =>
            Object.assign(new FakeRequest(headers as Record<string, string>), { address });
          let outcome: unknown;
          try {
            // It throws as well if the request was not decided in the same tick.
            outcome = shown(now.enter(request(), mine).outcome);
          } catch (error) {
            outcome = caught(error);
          }
          const waiting = later.enterLater(request(), others);
          expect(await waiting.then((it) => shown(it.outcome), caught)).toEqual(outcome);
          mine.finish(status);
          others.finish(status);
          for (let turn = 0; turn < 8; turn++) await undefined;
          expect(Array.from(others.headers)).toEqual(Array.from(mine.headers));
        }
        expect(counts(later)).toEqual(counts(now));
        expect(later.codes).toEqual(now.codes);
      },
    ),
    seededRuns(150),
  );
});
