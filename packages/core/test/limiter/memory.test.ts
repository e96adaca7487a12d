import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  concurrency,
  createLimiter,
  fixedWindow,
  type Limiter,
  MINUTE,
  SECOND,
  slidingWindow,
} from "../../src/index.ts";
import { manualClock } from "../../src/testing.ts";

const opened: Limiter[] = [];

function limiterOf(
  policy: Parameters<typeof createLimiter>[0]["policy"],
  maxKeys: number,
): Limiter {
  const limiter = createLimiter({ name: "memory", policy, maxKeys });
  opened.push(limiter);
  return limiter;
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  for (const limiter of opened.splice(0)) limiter.close();
  vi.useRealTimers();
});

describe("a limiter with all its keys in use", () => {
  it("stays at maxKeys", () => {
    const limiter = limiterOf(fixedWindow({ limit: 5, windowMs: MINUTE }), 100);
    for (let key = 0; key < 1_000; key++) limiter.check(`key ${key}`);
    expect(limiter.status()).toMatchObject({
      keys: 100,
      maxKeys: 100,
      evicted: { live: 900, refused: 0 },
      uncounted: 0,
    });
  });

  it("evicts an expired key before one that counts", () => {
    const limiter = limiterOf(slidingWindow({ limit: 5, windowMs: MINUTE }), 3);
    limiter.check("old", 5);
    vi.advanceTimersByTime(30 * SECOND);
    limiter.check("young");
    vi.advanceTimersByTime(45 * SECOND);
    for (const key of ["newer", "newest"]) limiter.check(key);
    expect(limiter.peek("young").used).toBe(1);
    expect(limiter.status().evicted.live).toBe(0);
  });

  it("evicts the key with the fewest hits, and a refused one last", () => {
    const limiter = limiterOf(fixedWindow({ limit: 5, windowMs: MINUTE }), 3);
    limiter.check("refused", 4);
    limiter.check("refused", 2);
    limiter.check("busy", 5);
    limiter.check("quiet", 1);
    limiter.check("new", 2);
    expect(limiter.inspect("quiet").known).toBe(false);
    expect(limiter.peek("busy").used).toBe(5);
    limiter.check("newest", 3);
    limiter.check("last", 3);
    expect(limiter.peek("refused").used).toBe(4);
  });

  it("keeps a blocked key blocked, whatever other keys come", () => {
    const limiter = limiterOf(fixedWindow({ limit: 5, windowMs: MINUTE }), 3);
    limiter.block("ada", MINUTE);
    for (let key = 0; key < 100; key++) limiter.check(`key ${key}`);
    expect(limiter.check("ada").reason).toBe("block");
  });

  it("drops resets before blocks, and reports a dropped block", () => {
    const limiter = limiterOf(fixedWindow({ limit: 5, windowMs: MINUTE }), 3);
    limiter.block("ada", MINUTE);
    for (let key = 0; key < 100; key++) limiter.reset(`key ${key}`);
    expect(limiter.check("ada").reason).toBe("block");
    for (let key = 0; key < 3; key++) limiter.block(`other ${key}`, MINUTE);
    expect(limiter.check("ada").allowed).toBe(true);
    expect(limiter.status().evicted.notes).toBe(101);
  });

  it("never evicts permits, and allows hits uncounted when it has no room", () => {
    const limiter = limiterOf(concurrency({ limit: 1 }), 2);
    limiter.check("one");
    limiter.check("two");
    expect(limiter.check("three").allowed).toBe(true);
    expect(limiter.check("three").allowed).toBe(true);
    expect(limiter.status()).toMatchObject({ keys: 2, uncounted: 2 });
    expect(limiter.check("one").allowed).toBe(false);
    limiter.release("two");
    limiter.check("three");
    expect(limiter.check("three").allowed).toBe(false);
  });
});

describe("keys in which nothing counts any more", () => {
  it("are freed within seconds, without a call", () => {
    const limiter = limiterOf(fixedWindow({ limit: 5, windowMs: 10 * SECOND }), 10_000);
    for (let key = 0; key < 5_000; key++) limiter.check(`key ${key}`);
    vi.advanceTimersByTime(9 * SECOND);
    expect(limiter.status().keys).toBe(5_000);
    vi.advanceTimersByTime(5 * SECOND);
    expect(limiter.status().keys).toBe(0);
    expect(limiter.status().evicted).toEqual({
      expired: 0,
      foreign: 0,
      live: 0,
      refused: 0,
      notes: 0,
    });
  });

  it("are freed at 8,000 a second, also when there are more", () => {
    const limiter = limiterOf(fixedWindow({ limit: 5, windowMs: SECOND }), 100_000);
    for (let key = 0; key < 26_000; key++) limiter.check(`key ${key}`);
    vi.advanceTimersByTime(SECOND);
    const before = limiter.status().keys;
    vi.advanceTimersByTime(2 * SECOND);
    expect(before - limiter.status().keys).toBeGreaterThanOrEqual(16_000);
  });

  it("need no timer once all are gone", () => {
    const limiter = limiterOf(fixedWindow({ limit: 5, windowMs: SECOND }), 10);
    limiter.check("ada");
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(5 * SECOND);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a closed limiter", () => {
  it("has forgotten everything, still answers, and has no timer", () => {
    const limiter = limiterOf(fixedWindow({ limit: 1, windowMs: MINUTE }), 10);
    limiter.check("ada");
    limiter.block("grace", MINUTE);
    limiter.close();
    limiter.close();
    expect(limiter.status().keys).toBe(0);
    expect(limiter.check("grace").allowed).toBe(true);
    expect(limiter.check("ada").allowed).toBe(true);
    expect(limiter.check("ada").allowed).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("limiters of one name", () => {
  it("count apart from each other", () => {
    const clock = manualClock();
    const policy = fixedWindow({ limit: 1, windowMs: MINUTE });
    const [one, two] = [1, 2].map(() => createLimiter({ name: "same", policy, clock }));
    one!.check("ada");
    expect(two!.check("ada").allowed).toBe(true);
  });
});
