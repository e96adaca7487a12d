import { seededRandom } from "@tidegate/testkit";
import { describe, expect, it } from "vitest";
import { blankComponent } from "../../src/crdt/component.ts";
import { ComponentBatch } from "../../src/wire/component-batch.ts";
import { type PeriodEncoding, writeComponents } from "../../src/wire/component-section.ts";
import { FrameWriter } from "../../src/wire/frame.ts";

const KEYS = 10_000;
const NOW = 1_700_000_000_000;

/** Bytes of all frames of a flush, per key that had changed. */
function bytesPerKey(encoding: PeriodEncoding, periodOf: (random: () => number) => number): number {
  const random = seededRandom(1);
  const half = () => (random() * 2 ** 32) | 0;
  const header = { kind: "counts", isSealed: true, tag: 1, replica: { low: 2, high: 3 } } as const;
  const writer = new FrameWriter(true);
  const batch = new ComponentBatch();
  const nameOpener = (opener: number) => ({ low: opener, high: 5, agoMs: 30_000 });
  const head = { limiter: { low: 1, high: 2 }, of: { low: 0, high: 0 }, policy: 0, encoding };
  let bytes = 0;
  for (let left = KEYS; left > 0; ) {
    batch.clear();
    for (; left > 0 && !batch.isFull; left--) {
      const key = { low: half(), high: half(), opener: Math.floor(random() * 10) };
      const hits = 1 + Math.floor(random() * 100);
      batch.add({ ...blankComponent(), ...key, period: periodOf(random), hits });
    }
    batch.sort();
    for (let next = 0; next < batch.size; ) {
      writer.begin({ ...header, sentAtMs: NOW, number: 1_000_000 });
      next = writeComponents(writer, head, batch, next, nameOpener);
      bytes += writer.position;
    }
  }
  return bytes / KEYS;
}

describe("ten thousand changed keys in one flush", () => {
  it("take at most 12 bytes each in windows of a minute that ten replicas opened", () => {
    const periodOf = (random: () => number) => NOW - Math.floor(random() * 60_000);
    expect(bytesPerKey("window", periodOf)).toBeLessThanOrEqual(12);
  });

  it("take at most 12 bytes each on a grid", () => {
    expect(bytesPerKey("period", () => 1_234_567)).toBeLessThanOrEqual(12);
  });

  it("take at most 15 bytes each in windows of a day, and in gauges", () => {
    const periodOf = (random: () => number) => NOW - Math.floor(random() * 86_400_000);
    expect(bytesPerKey("window", periodOf)).toBeLessThanOrEqual(15);
    expect(bytesPerKey("none", () => 0)).toBeLessThanOrEqual(12);
  });
});
