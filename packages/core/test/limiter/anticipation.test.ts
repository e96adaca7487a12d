import { describe, expect, it } from "vitest";
import { Anticipation, type Company, type FillingWindow } from "../../src/limiter/anticipation.ts";

const FAST: Company = { aliveCount: 10, spacingMs: 5, travelMs: 5 };
const LIMIT = 1_000;

/** A window that ten replicas fill at so many hits a millisecond, as one of them sees it. */
function windowAt(ms: number, perMs: number, windowMs = 1_000): FillingWindow {
  // The others' hits arrive 8.5 ms late.
  const others = Math.max(0, Math.floor(0.9 * perMs * (ms - 8.5)));
  const own = Math.floor(0.1 * perMs * ms);
  return { used: others + own, own, limit: LIMIT, openForMs: ms, leftMs: windowMs - ms };
}

/** When a hit is refused for the first time; undefined if all hits that fit are allowed. */
function firstRefusal(company: Company, perMs: number, cost = 1): number | undefined {
  const anticipation = new Anticipation(company, () => 0.999);
  for (let ms = 1; ms < 1_000; ms++) {
    const window = windowAt(ms, perMs);
    if (window.used + cost > LIMIT) return undefined;
    if (4 * window.used < 3 * LIMIT) continue;
    if (anticipation.refuses(1, window, cost, ms)) return ms;
  }
  return undefined;
}

describe("the end of a limit that other replicas are about to use up", () => {
  it.each([2, 5, 10, 20])(
    "is anticipated when a window is filled at %d times its limit",
    (load) => {
      const refusedAtMs = firstRefusal(FAST, load)!;
      const total = load * refusedAtMs;
      expect(total).toBeGreaterThan(0.9 * LIMIT);
      expect(total).toBeLessThan(1.01 * LIMIT);
    },
  );

  it("is anticipated sooner, the longer frames travel", () => {
    const far = firstRefusal({ ...FAST, travelMs: 15 }, 5)!;
    expect(far).toBeLessThan(firstRefusal(FAST, 5)!);
  });

  it.each([0.5, 0.8, 0.95, 0.99])("is not for %d of the limit", (load) => {
    expect(firstRefusal(FAST, load)).toBeUndefined();
  });

  it("is not when nobody else counts, or this is the only replica", () => {
    const alone = { used: 990, own: 990, limit: LIMIT, openForMs: 100, leftMs: 900 };
    expect(new Anticipation(FAST, () => 0.999).refuses(1, alone, 1, 100)).toBe(false);
    expect(firstRefusal({ ...FAST, aliveCount: 1 }, 5)).toBeUndefined();
  });

  it("is not while only a few hits are on their way, as with one request after the other", () => {
    const company = { aliveCount: 3, spacingMs: 5, travelMs: 0.2 };
    const anticipation = new Anticipation(company, () => 0.999);
    for (const limit of [5, 10, 100]) {
      for (let hit = 1; hit < limit; hit++) {
        // A request a millisecond, in turns; the others' last hits have not arrived.
        const others = Math.max(0, Math.floor((2 * (hit - 4)) / 3));
        const own = Math.ceil(hit / 3);
        const window = { used: others + own, own, limit, openForMs: hit, leftMs: 60_000 - hit };
        expect(anticipation.refuses(limit, window, 1, hit)).toBe(false);
      }
    }
  });

  it("is not when the others have stopped, however fast they were", () => {
    const anticipation = new Anticipation(FAST, () => 0.999);
    for (let ms = 500; ms < 900; ms++) {
      const window = { used: 960, own: 10, limit: LIMIT, openForMs: ms, leftMs: 1_000 - ms };
      expect(anticipation.refuses(1, window, 1, ms)).toBe(false);
    }
  });
});

describe("a replica that is closing", () => {
  /** Closes at 900 of 1,000, of which a tenth is its own. */
  function closing(random: () => number): { anticipation: Anticipation; window: FillingWindow } {
    const anticipation = new Anticipation(FAST, random);
    const window = { used: 950, own: 95, limit: LIMIT, openForMs: 100, leftMs: 900 };
    expect(anticipation.refuses(1, window, 1, 100)).toBe(true);
    return { anticipation, window };
  }

  it("allows its share of what is left, of hits that the others cannot have received", () => {
    const { anticipation, window } = closing(() => 0.999);
    const allowed = (now: number): number => {
      let hits = 0;
      for (let hit = 0; hit < 50; hit++) if (!anticipation.refuses(1, window, 1, now)) hits++;
      return hits;
    };
    // A tenth of 50, once what it had sent before has arrived; and again when that has.
    expect(allowed(200)).toBe(5);
    expect(allowed(205)).toBe(0);
    expect(allowed(212)).toBe(5);
  });

  it("decides by lot below one hit", () => {
    const draws = [0.5, 0.05];
    const { anticipation } = closing(() => draws.shift() ?? 0.999);
    const nearly = { used: 998, own: 99, limit: LIMIT, openForMs: 200, leftMs: 800 };
    expect(anticipation.refuses(1, nearly, 1, 200)).toBe(false);
    expect(anticipation.refuses(1, nearly, 1, 201)).toBe(true);
  });

  it("is open again in the next window, and after a reset", () => {
    const { anticipation } = closing(() => 0.999);
    const next = { used: 800, own: 80, limit: LIMIT, openForMs: 600, leftMs: 400 };
    expect(anticipation.refuses(1, { ...next, used: 900 }, 1, 150)).toBe(false);
    expect(anticipation.refuses(1, next, 1, 1_600)).toBe(false);
  });
});

describe("a limit that hits leave one by one", () => {
  const full = { used: 1_000, own: 100, limit: LIMIT };
  const freed = { used: 998, own: 100, limit: LIMIT };

  /** Offers a replica a hit every so many milliseconds, of which most do not fit. */
  function flooded(everyMs: number): Anticipation {
    const anticipation = new Anticipation(FAST, () => 0.999);
    for (let ms = 0; ms < 1_000; ms += everyMs) anticipation.refused(1, full, 1, false, ms, 1_000);
    return anticipation;
  }

  it("is shared out while many more hits are offered than fit", () => {
    expect(flooded(2).refusesWhileFull(1, freed, 1, 1_000)).toBe(true);
  });

  it("is not while few hits are offered, or nearly all fit, or none was refused for a window", () => {
    expect(flooded(100).refusesWhileFull(1, freed, 1, 1_000)).toBe(false);
    expect(flooded(2).refusesWhileFull(1, freed, 1, 2_100)).toBe(false);
    const anticipation = new Anticipation(FAST, () => 0.999);
    anticipation.refused(1, full, 1, false, 0, 1_000);
    for (let ms = 2; ms < 900; ms += 2) {
      expect(anticipation.refusesWhileFull(1, freed, 1, ms)).toBe(false);
    }
  });
});

it("a table of keys is bounded, and makes room when windows end", () => {
  const anticipation = new Anticipation(FAST, () => 0.999);
  const window = { used: 950, own: 95, limit: LIMIT, openForMs: 100, leftMs: 900 };
  const refused = (from: number, now: number): number => {
    let count = 0;
    for (let key = from; key < from + 10_000; key++) {
      if (anticipation.refuses(key, window, 1, now)) count++;
    }
    return count;
  };
  expect(refused(0, 100)).toBe(4_096);
  expect(refused(10_000, 100)).toBe(0);
  expect(refused(20_000, 1_200)).toBe(4_096);
});
