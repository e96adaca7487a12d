/**
 * Every option that express-rate-limit documents, through both packages with the same answers.
 *
 * The generated scenarios of differential.test.ts vary the plain options together. Here each option is
 * given in the forms that those leave out: asked functions, what they are told, and when.
 */

import type { Options as TheirOptions } from "express-rate-limit";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import type { Options, RateLimitOptions } from "../src/index.ts";
import { expectSame, type Scene } from "./differential/side-by-side.ts";

beforeEach(() => {
  vi.useFakeTimers({
    now: 1_800_000_000_000,
    toFake: ["Date", "performance", "hrtime", "setInterval", "clearInterval"],
  });
});
afterEach(() => {
  vi.useRealTimers();
});

type Note = (text: string) => void;

/** A function that notes its arguments, and when it is called, and returns a value or a promise. */
function asked(note: Note, name: string, answer: unknown, later: boolean): unknown {
  const tell = (request: unknown, response: unknown): unknown => {
    const isRequest = typeof Reflect.get(Object(request), "get") === "function";
    const isResponse = typeof Reflect.get(Object(response), "send") === "function";
    const isCounted = Reflect.get(Object(request), "rateLimit") !== undefined;
    note(`${name} ${isRequest} ${isResponse} ${name === "limit" || isCounted}`);
    return answer;
  };
  return later ? async (...told: [unknown, unknown]) => tell(...told) : tell;
}

/** An option as a function that answers at once, and as one that answers later. */
function inBothWays(name: keyof Options, answer: unknown, more: RateLimitOptions = {}): Scene[] {
  return [false, true].map((later) => ({
    options: (_each, note) => ({ ...more, [name]: asked(note, name, answer, later) }),
    requests: [{}, {}, {}],
  }));
}

function plainly(options: RateLimitOptions, requests: Scene["requests"] = [{}, {}, {}]): Scene {
  return { options, requests };
}

/** A store that notes what it is asked. */
function noting(note: Note) {
  const hits = new Map<string, number>();
  return {
    init: ({ windowMs }: Options) => note(`init ${windowMs}`),
    increment: async (key: string) => {
      note(`increment ${key}`);
      hits.set(key, (hits.get(key) ?? 0) + 1);
      return { totalHits: hits.get(key) ?? 0, resetTime: new Date(1_800_000_060_000) };
    },
    decrement: (key: string) => {
      note(`decrement ${key}`);
      hits.set(key, (hits.get(key) ?? 0) - 1);
    },
    resetKey: (key: string) => note(`reset ${key}`),
  };
}

/** A store as they were before there were promises in them. */
function older(note: Note) {
  let hits = 0;
  return {
    incr: (key: string, callback: (error: undefined, hits: number, end: Date) => void) => {
      note(`incr ${key}`);
      callback(undefined, ++hits, new Date(1_800_000_060_000));
    },
    decrement: () => {},
    resetKey: () => {},
  };
}

const mixed = [{ status: 404 }, { status: 500 }, {}, { status: 302 }, {}, { status: 404 }, {}];
const addresses = ["2001:db8:1:2::1", "2001:db8:1:2::2", "2001:db8:1:3::1", "192.0.2.1"];
const inTurn = [...addresses, ...addresses].map((from) => ({ from }));

const listening = (note: Note) => ({
  logger: { error: () => note("error"), warn: () => note("warn") },
});

/** Scenes for every option of theirs: one that is missing does not compile. */
const SCENES: Readonly<Record<keyof Required<TheirOptions>, readonly Scene[]>> = {
  windowMs: [
    plainly({ limit: 1, windowMs: 1_500 }, [{}, { afterMs: 1_499 }, { afterMs: 1 }, {}]),
    plainly({ limit: 1, windowMs: 1_500 }, [{}, { afterMs: 1_400 }, { afterMs: 1_600 }, {}]),
  ],
  limit: inBothWays("limit", 2),
  max: inBothWays("max", 2),
  message: [
    ...inBothWays("message", { error: "no more" }, { limit: 1 }),
    ...["text", "", true, ["a"], { a: 1 }, Buffer.from("b")].map((message) =>
      plainly({ limit: 1, message }),
    ),
    plainly({ limit: 1, message: (_req: unknown, res: { end: Note }) => res.end("own") }),
  ],
  statusCode: [200, 403, 420, 503].map((statusCode) => plainly({ limit: 1, statusCode })),
  legacyHeaders: [true, false].map((legacyHeaders) =>
    plainly({ limit: 1, legacyHeaders, standardHeaders: true }),
  ),
  headers: [true, false].map((headers) => plainly({ limit: 1, headers, standardHeaders: true })),
  standardHeaders: [
    ...([false, true, "draft-6", "draft-7", "draft-8"] as const).map((standardHeaders) =>
      plainly({ limit: 1, standardHeaders }),
    ),
    plainly({ limit: 1, standardHeaders: "draft-5" as never }),
    plainly({ limit: 1, standardHeaders: "draft-5" as never, legacyHeaders: false }),
  ],
  identifier: [
    plainly({ identifier: "plan", standardHeaders: "draft-8" }),
    ...inBothWays("identifier", "plan", { limit: 1, standardHeaders: "draft-8" }),
  ],
  retryAfter: [plainly({ limit: 1, retryAfter: 7 }), ...inBothWays("retryAfter", 7, { limit: 1 })],
  requestPropertyName: [
    plainly({ limit: 2, requestPropertyName: "limitInfo" }),
    plainly({ limit: 2, requestPropertyName: "limitInfo", standardHeaders: "draft-8" }),
  ],
  skipFailedRequests: [plainly({ limit: 2, skipFailedRequests: true }, mixed)],
  skipSuccessfulRequests: [
    plainly({ limit: 2, skipSuccessfulRequests: true }, mixed),
    plainly({ limit: 2, skipSuccessfulRequests: true, skipFailedRequests: true }, mixed),
  ],
  requestWasSuccessful: [
    ...inBothWays("requestWasSuccessful", true, { limit: 1, skipSuccessfulRequests: true }),
    ...inBothWays("requestWasSuccessful", false, { limit: 1, skipFailedRequests: true }),
    ...inBothWays("requestWasSuccessful", false, { limit: 1 }),
    plainly(
      {
        ...{ limit: 1, skipFailedRequests: true },
        requestWasSuccessful: (_req, res) => res.statusCode === 404,
      },
      mixed,
    ),
  ],
  keyGenerator: [
    ...inBothWays("keyGenerator", "ada", { limit: 1 }),
    ...inBothWays("keyGenerator", "ada", { limit: 1, standardHeaders: "draft-8" }),
  ],
  ipv6Subnet: [
    ...[64, 48, 32, false as const].map((ipv6Subnet) => plainly({ limit: 1, ipv6Subnet }, inTurn)),
    ...inBothWays("ipv6Subnet", 64, { limit: 1 }).map((scene) => ({ ...scene, requests: inTurn })),
  ],
  handler: [
    {
      options: (_each, note) => ({
        limit: 1,
        handler: (_req, res, next, { statusCode, message, limit }) => {
          note(`${typeof next} ${statusCode} ${message} ${limit}`);
          res.status(statusCode).send(message);
        },
      }),
      requests: [{}, {}],
    },
    plainly({ limit: 1, handler: (_req, _res, next) => next() }),
    plainly({ limit: 1, handler: async (_req, res) => void res.status(418).json({ a: 1 }) }),
  ],
  skip: [...inBothWays("skip", true, { limit: 1 }), ...inBothWays("skip", false, { limit: 1 })],
  store: [
    { options: (_each, note) => ({ limit: 1, store: noting(note) }), requests: [{}, {}, {}] },
    {
      options: (_each, note) => ({ limit: 1, store: noting(note), skipFailedRequests: true }),
      requests: mixed,
    },
    { options: (_each, note) => ({ limit: 1, store: older(note) }), requests: [{}, {}, {}] },
    { options: ({ MemoryStore }) => ({ limit: 1, store: new MemoryStore() }), requests: [{}, {}] },
  ],
  passOnStoreError: [
    {
      options: (_each, note) => ({
        ...{ limit: 1, passOnStoreError: true, ...listening(note) },
        store: { ...noting(note), increment: () => Promise.reject(new Error("down")) },
      }),
      requests: [{}, {}],
    },
  ],
  validate: [true, false, { limit: true, default: false }, { limit: false }].map((validate) => ({
    options: (_each, note) => ({
      ...{ limit: 0, validate, ...listening(note) },
      keyGenerator: () => "ada",
      handler: (_req, res) => void res.end(),
    }),
    requests: [{}, {}],
  })),
  logger: [
    { draft_polli_ratelimit_headers: true },
    { nonsense: true },
    { validate: { nonsense: true } },
    { ipv6Subnet: 64 },
    { standardHeaders: "draft-5" },
  ].map((mistake) => ({
    options: (_each, note) => ({
      ...{ validate: true, keyGenerator: () => "ada", ...(mistake as object) },
      ...listening(note),
    }),
    requests: [{}, {}],
  })),
};

describe.each(Object.entries(SCENES))("the option %s", (_name, scenes) => {
  it.each(scenes)("does what it did: %#", async (scene) => {
    await expectSame(scene);
  });
});
