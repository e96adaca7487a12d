import { describe, expect, it } from "vitest";
import { concurrency } from "../../src/policies/concurrency.ts";
import { fixedWindow } from "../../src/policies/fixed-window.ts";
import type { Policy } from "../../src/policies/policy.ts";
import { slidingLog } from "../../src/policies/sliding-log.ts";
import { slidingWindow } from "../../src/policies/sliding-window.ts";
import { RecordPool } from "../../src/store/table/record-pool.ts";
import { expectSame } from "../quick-expectation.ts";
import { type Carried, fleet, type Member, START_MS } from "./fleet.ts";

const KEY = 7;
const CROWD = 4_096;
const PER_REPLICA = 1_024;
const windowMs = 60_000;

const cases: [string, Policy][] = [
  ["windows", fixedWindow({ limit: 1, windowMs })],
  ["aligned windows", fixedWindow({ limit: 1, windowMs, align: true })],
  ["slots", slidingWindow({ limit: 1, windowMs })],
  ["logs", slidingLog({ limit: 1, windowMs })],
  ["gauges", concurrency({ limit: 1 })],
];

/** One that reads, what another says that has counted one hit, and how many the first knows of. */
function hitOf(policy: Policy): [Member, Carried, () => number] {
  const [reader, writer] = fleet([0, 0], [policy]);
  writer!.hit(KEY);
  const unit = writer!.held(KEY);
  return [reader!, writer!.sent().at(-1)!, () => reader!.held(KEY) / unit];
}

function crowd(reader: Member, hit: Carried, size: number): void {
  for (let one = 0; one < size; one++) reader.join({ ...hit, replica: `one-${one}`, hits: 1 });
}

/** How many words of records are read or taken in hand meanwhile. A spy would keep each of a million calls. */
function readsOf(work: () => void): number {
  const { word, take } = RecordPool.prototype;
  let reads = 0;
  const counted = <Call extends (this: RecordPool, ...given: never[]) => unknown>(call: Call) =>
    function (this: RecordPool, ...given: Parameters<Call>) {
      reads++;
      return call.apply(this, given);
    };
  Object.assign(RecordPool.prototype, { word: counted(word), take: counted(take) });
  try {
    work();
  } finally {
    Object.assign(RecordPool.prototype, { word, take });
  }
  return reads;
}

describe.each(cases)("a key that thousands have counted: %s", (kind, policy) => {
  it("is read in one pass when many of its replicas are dropped at once", () => {
    const [reader, hit, hits] = hitOf(policy);
    crowd(reader, hit, CROWD);
    expect(hits()).toBe(CROWD);
    // The latest component is in front, so the searched one is far behind.
    for (let one = 0; one < CROWD / 2; one++) {
      reader.replicas.drop(reader.replicas.indexOf(`one-${one}`));
    }
    const perOne = kind === "slots" ? 100 : 30;
    expect(readsOf(hits)).toBeLessThan(perOne * CROWD);
    expect(hits()).toBe(CROWD / 2);
  });

  it("merges another hit of one replica in at most two passes", () => {
    const [reader, hit, hits] = hitOf(policy);
    crowd(reader, hit, CROWD);
    hits();
    const more = { ...hit, replica: "one-0", hits: 2 };
    expect(readsOf(() => reader.join(more))).toBeLessThan(6 * CROWD);
    expect(hits()).toBe(CROWD + 1);
  });

  it("is not crowded by one replica, and keeps room for the others", () => {
    const [reader, hit, hits] = hitOf(policy);
    const joined = Array.from({ length: 2 * PER_REPLICA }, (_, generation) =>
      reader.join({ ...hit, replica: "many", generation }),
    );
    const isGauge = kind === "gauges";
    // Of a gauge each generation ends the one before.
    expect(joined.filter(Boolean)).toHaveLength(isGauge ? 2 * PER_REPLICA : PER_REPLICA);
    crowd(reader, hit, 10);
    expect(hits()).toBe(isGauge ? 11 : PER_REPLICA + 10);
  });
});

describe.each(cases.filter(([kind]) => kind !== "gauges"))(
  "a key that one replica evicts every second for hours: %s",
  (_kind, policy) => {
    it("continues to count the hits of that replica", () => {
      const [reader, writer] = fleet([0, 0], [policy]);
      for (let second = 0; second < 3 * PER_REPLICA; second++) {
        const now = START_MS + second * 1_000;
        for (const member of [reader!, writer!]) member.at(now);
        reader!.hit(KEY);
        writer!.hit(KEY);
        const news = writer!.sent().map((component) => reader!.join(component));
        if (!news.includes(true)) expect(news).toContain(true);
        expectSame(writer!.evict(KEY), true);
      }
    });
  },
);

describe("a log with more times than it can store", () => {
  const POINTS_MAX = 65_536;
  const DAY_MS = 86_400_000;

  function full(): [Member, Carried, () => number] {
    const [reader, hit, hits] = hitOf(slidingLog({ limit: 1, windowMs: DAY_MS }));
    const period = hit.period - 10_000_000;
    reader.join({ ...hit, period: period - 2 * DAY_MS, hits: 0 });
    for (let point = 0; point < POINTS_MAX; point++) {
      reader.join({ ...hit, period: period + 2 * point, hits: point + 1 });
    }
    expect(hits()).toBe(POINTS_MAX);
    return [reader, { ...hit, period }, hits];
  }

  it("counts later hits with the newest point, at the later time", () => {
    const [reader, hit, hits] = full();
    for (let more = 0; more < 1_000; more++) {
      const period = hit.period + 2 * POINTS_MAX + more;
      const refunds = more === 500 ? 1 : 0;
      expect(reader.join({ ...hit, period, hits: POINTS_MAX + more + 1, refunds })).toBe(true);
    }
    expect(hits()).toBe(POINTS_MAX + 1_000 - 1);
    // All of those leave with the last of them, and nothing sooner.
    reader.at(hit.period + 2 * POINTS_MAX + 998 + DAY_MS);
    expect(hits()).toBe(1_001 - 1);
    reader.at(hit.period + 2 * POINTS_MAX + 999 + DAY_MS);
    expect(hits()).toBe(0);
  });

  it("accepts no new time between points, and known points as before", () => {
    const [reader, hit, hits] = full();
    const refused = reader.join({ ...hit, period: hit.period + 7, hits: 5 });
    const again = reader.join({ ...hit, period: hit.period + 8, hits: 5 });
    expect([refused, again, hits()]).toEqual([false, false, POINTS_MAX]);
    expect(reader.join({ ...hit, period: hit.period + 8, hits: 6 })).toBe(true);
    // There is room again when some have left.
    reader.at(hit.period + 100 + DAY_MS);
    const before = hits();
    expect(reader.join({ ...hit, period: hit.period + 151, hits: 76 })).toBe(true);
    expect(hits()).toBe(before);
  });
});
