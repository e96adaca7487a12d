import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { tokenBucket } from "../../../src/policies/bucket.ts";
import { concurrency } from "../../../src/policies/concurrency.ts";
import { hit, used } from "../tapped-cluster.ts";
import { again, ClosingCluster, kept, MINUTE_MS } from "./closing-cluster.ts";

const TEN_AT_A_TIME = concurrency({ limit: 10 });

let cluster = new ClosingCluster();

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
  cluster = new ClosingCluster();
});
afterEach(async () => {
  await cluster.end();
  vi.useRealTimers();
});

describe("a limiter that is closed and created again", () => {
  it("goes on with what it had counted, and so do the others", () => {
    const [one, other] = cluster.two();
    hit(other, 1);
    vi.advanceTimersByTime(1_000);
    const decisions = Array.from({ length: 50 }, () => one.limiter.check("ada"));
    vi.advanceTimersByTime(1_000);
    for (const decision of decisions) one.limiter.refund("ada", 1, decision);
    hit(one, 5);
    one.limiter.close();
    const anew = again(one);
    expect(used(anew)).toBe(6);
    hit(anew, 40);
    vi.advanceTimersByTime(1_000);
    expect([used(anew), used(other)]).toEqual([46, 46]);
    expect(anew.limiter.status()).toMatchObject({ allowed: 40, refused: 0, keys: 1 });
  });

  it("knows what others have counted meanwhile", () => {
    const [one, other] = cluster.two();
    hit(one, 5);
    one.limiter.close();
    vi.advanceTimersByTime(1_000);
    hit(other, 7);
    other.limiter.block("grace", MINUTE_MS);
    vi.advanceTimersByTime(1_000);
    const anew = again(one);
    expect(used(anew)).toBe(12);
    expect(anew.limiter.check("grace").reason).toBe("block");
  });

  it("may have another limit and other bounds", () => {
    const bucket = (capacity: number) => tokenBucket({ capacity, refillPerSecond: 0.01 });
    const [one, other] = cluster.two({ policy: bucket(20), maxKeys: 100 });
    hit(one, 15);
    one.limiter.close();
    const anew = again(one, { policy: bucket(18), maxKeys: 200 });
    const { limiter } = anew;
    expect(used(anew)).toBe(15);
    expect(limiter.check("ada")).toMatchObject({ allowed: true, remaining: 2 });
    for (let key = 0; key < 300; key++) limiter.check(`key ${key}`);
    expect(limiter.status()).toMatchObject({ maxKeys: 200, keys: 200, evicted: { live: 101 } });
    vi.advanceTimersByTime(1_000);
    expect(used(other)).toBe(16);
    limiter.close();
    expect(again(one, { policy: bucket(18), maxKeys: 10 }).limiter.status()).toMatchObject({
      ...{ maxKeys: 200, keys: 200, evicted: { live: 0 } },
    });
  });

  it("holds what it holds now, and nothing from before", () => {
    const [one, other] = cluster.two({ policy: TEN_AT_A_TIME });
    for (let key = 0; key < 2_000; key++) one.limiter.check(`key ${key}`, 5);
    vi.advanceTimersByTime(1_000);
    one.limiter.close();
    const { limiter } = again(one, { policy: TEN_AT_A_TIME });
    expect(limiter.peek("key 1999").used).toBe(0);
    limiter.check("key 1999");
    vi.advanceTimersByTime(2_000);
    expect([used(other, "key 0"), used(other, "key 1999")]).toEqual([0, 1]);
    limiter.release("key 1999");
    vi.advanceTimersByTime(1_000);
    expect(used(other, "key 1999")).toBe(0);
  });

  it.each([1_000, 10 * MINUTE_MS])("is received with all that it holds, %d ms later", (laterMs) => {
    const [one, other] = cluster.two({ policy: TEN_AT_A_TIME });
    // Another generation begins when what was held before has been forgotten.
    one.limiter.check("old");
    one.limiter.release("old");
    vi.advanceTimersByTime(3 * MINUTE_MS);
    hit(one, 2);
    vi.advanceTimersByTime(1_000);
    one.limiter.release("ada", 2);
    vi.advanceTimersByTime(1_000);
    one.limiter.close();
    vi.advanceTimersByTime(laterMs);
    const { limiter } = again(one, { policy: TEN_AT_A_TIME });
    for (let period = 0; period < 10; period++) limiter.check("ada");
    vi.advanceTimersByTime(1_000);
    expect(used(other)).toBe(10);
    limiter.release("ada", 9);
    vi.advanceTimersByTime(1_000);
    expect(used(other)).toBe(1);
  });

  it("is received also by replicas that remember what is not kept here any more", () => {
    const [one, other] = cluster.two({ policy: TEN_AT_A_TIME });
    other.limiter.check("ada");
    hit(one, 2);
    vi.advanceTimersByTime(1_000);
    one.limiter.close();
    vi.advanceTimersByTime(10 * MINUTE_MS);
    expect(kept(one)).toBe(0);
    const anew = again(one, { policy: TEN_AT_A_TIME });
    hit(anew, 1);
    vi.advanceTimersByTime(1_000);
    expect([used(anew), used(other)]).toEqual([2, 2]);
  });
});
