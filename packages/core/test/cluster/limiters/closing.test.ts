import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { concurrency } from "../../../src/policies/concurrency.ts";
import { slidingWindow } from "../../../src/policies/sliding-window.ts";
import { RecordPool } from "../../../src/store/table/record-pool.ts";
import { HUNDRED_A_MINUTE, hit, used } from "../tapped-cluster.ts";
import { again, ClosingCluster, kept, MINUTE_MS } from "./closing-cluster.ts";

const TEN_AT_A_TIME = concurrency({ limit: 10 });

let cluster = new ClosingCluster();

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
  cluster = new ClosingCluster();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await cluster.end();
  vi.useRealTimers();
});

describe("a limiter that is closed in a cluster", () => {
  it("publishes the counts that it had not published", () => {
    const [one, other] = cluster.two();
    hit(one, 2);
    vi.advanceTimersByTime(1_000);
    hit(one, 10);
    one.limiter.close();
    vi.advanceTimersByTime(50);
    expect(used(other)).toBe(12);
  });

  it("has published them when the process leaves right afterwards", async () => {
    const [one, other] = cluster.two();
    hit(one, 2);
    vi.advanceTimersByTime(1_000);
    hit(one, 10);
    one.limiter.close();
    void one.cluster.leave();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(used(other)).toBe(12);
    expect(kept(one)).toBe(0);
  });

  it("publishes them also if a long frame is being written at that moment", async () => {
    const [one, other] = cluster.two();
    const slow = vi.spyOn(performance, "now");
    for (let key = 0; key < 5_000; key++) one.limiter.check(`key ${key}`);
    // Time flies while the frame is written, so that each of its slices is as short as can be.
    let now = performance.now();
    slow.mockImplementation(() => (now += 3));
    one.replica.publisher.work(now + 1_000);
    one.limiter.check("key 4999");
    // It waits for what is being written.
    expect(one.replica.publisher.dueAtMs).toBe(Number.POSITIVE_INFINITY);
    one.limiter.close();
    slow.mockRestore();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(other.limiter.status().keys).toBe(5_000);
    expect(used(other, "key 4999")).toBe(2);
  });

  it("is known to replicas that join later, as long as its hits count", () => {
    const [one] = cluster.two();
    hit(one, 12);
    one.limiter.close();
    vi.advanceTimersByTime(MINUTE_MS / 2);
    const late = cluster.add();
    vi.advanceTimersByTime(3_000);
    expect(used(late)).toBe(12);
    vi.advanceTimersByTime(MINUTE_MS);
    expect(used(late)).toBe(0);
  });

  it("reaches replicas that were partitioned from this process when the partition ends", () => {
    const [one, other] = cluster.two();
    const heal = cluster.cut(one, other);
    hit(one, 12);
    one.limiter.close();
    vi.advanceTimersByTime(20_000);
    expect(used(other)).toBe(0);
    heal();
    vi.advanceTimersByTime(3_000);
    expect(used(other)).toBe(12);
  });

  it("releases what it held, for all others", () => {
    const [one, other] = cluster.two({ policy: TEN_AT_A_TIME });
    hit(one, 10);
    vi.advanceTimersByTime(1_000);
    expect(used(other)).toBe(10);
    one.limiter.close();
    one.limiter.release("ada");
    vi.advanceTimersByTime(1_000);
    expect(used(other)).toBe(0);
  });

  it("releases it also for replicas whose partition ends within a minute", () => {
    const [one, other] = cluster.two({ policy: TEN_AT_A_TIME });
    hit(one, 10);
    vi.advanceTimersByTime(1_000);
    const heal = cluster.cut(one, other);
    one.limiter.close();
    vi.advanceTimersByTime(50_000);
    heal();
    vi.advanceTimersByTime(2_000);
    expect(other.cluster.status().peers).toMatchObject([{ isAlive: true }]);
    expect(used(other)).toBe(0);
  });

  it("visits no key for all that at once, however many there are", () => {
    const policies = [TEN_AT_A_TIME, HUNDRED_A_MINUTE];
    const [one] = cluster.two({ policy: undefined, policies });
    for (let key = 0; key < 1_000; key++) one.limiter.check(`key ${key}`);
    const { word, take, release } = RecordPool.prototype;
    const looks = [word, take, release].map(({ name }) =>
      vi.spyOn(RecordPool.prototype, name as "word"),
    );
    one.limiter.close();
    expect(looks.reduce((sum, look) => sum + look.mock.calls.length, 0)).toBe(0);
  });

  it("still decides, by what it counts for itself from then on", () => {
    const [one, other] = cluster.two();
    hit(one, 60);
    one.limiter.close();
    expect(used(one)).toBe(0);
    hit(one, 60);
    vi.advanceTimersByTime(5_000);
    expect([used(one), used(other)]).toEqual([60, 60]);
    one.limiter.close();
    vi.advanceTimersByTime(5_000);
    expect([used(one), used(other)]).toEqual([0, 60]);
  });
});

describe("what a closed limiter has left", () => {
  it("is kept as long as its hits count, and no longer", () => {
    const [one] = cluster.two();
    hit(one, 1);
    one.limiter.close();
    vi.advanceTimersByTime(MINUTE_MS - 5_000);
    expect(kept(one)).toBe(1);
    vi.advanceTimersByTime(10_000);
    expect(kept(one)).toBe(0);
  });

  it("is nothing if only others have counted", () => {
    const [one, other] = cluster.two();
    hit(other, 1);
    vi.advanceTimersByTime(1_000);
    one.limiter.close();
    vi.advanceTimersByTime(2_500);
    expect(kept(one)).toBe(0);
  });

  it("is dropped after two windows and a minute, whatever others count for its keys", () => {
    const policy = slidingWindow({ limit: 1_000, windowMs: MINUTE_MS });
    const [one, other] = cluster.two({ policy });
    hit(one, 1);
    one.limiter.close();
    for (let second = 0; second < 170; second++) {
      hit(other, 1);
      vi.advanceTimersByTime(1_000);
    }
    expect(kept(one)).toBe(1);
    vi.advanceTimersByTime(15_000);
    expect(kept(one)).toBe(0);
  });

  it("is published for any number of limiters, and kept for 256", () => {
    const [one, other] = cluster.two();
    const names = Array.from({ length: 300 }, (_, index) => `limiter ${index}`);
    const others = names.map((name) => again(other, { name }));
    const made = names.map((name) => again(one, { name }));
    vi.advanceTimersByTime(1_000);
    // Nothing of all that can leave for a while.
    const line: { busy?: boolean } = one.transport;
    line.busy = true;
    for (const { limiter } of made) {
      limiter.check("ada");
      limiter.close();
    }
    vi.advanceTimersByTime(3_000);
    expect(kept(one)).toBe(301);
    line.busy = false;
    vi.advanceTimersByTime(3_000);
    expect(kept(one)).toBe(257);
    expect(others.map((each) => used(each))).toEqual(names.map(() => 1));
  });

  it("needs no timer once the cluster is left", async () => {
    const [one, other] = cluster.two({
      policies: [TEN_AT_A_TIME, HUNDRED_A_MINUTE],
      policy: undefined,
    });
    hit(one, 3);
    one.limiter.close();
    for (const each of [one, other]) void each.cluster.leave();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(vi.getTimerCount()).toBe(0);
  });
});
