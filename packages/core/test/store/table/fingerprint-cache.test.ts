import { describe, expect, it } from "vitest";
import { Fingerprinter } from "../../../src/store/table/fingerprint.ts";

class Asked extends Fingerprinter {
  /** Asks for a key as the fingerprinter does; whether it was remembered. */
  asks(key: string): boolean {
    const found = this.recall(key);
    if (!found) this.missed(key);
    return found;
  }
}

describe("the cache of fingerprints", () => {
  it("caches a hot key after a long time without one, and returns its fingerprint", () => {
    const recent = new Asked({ low: 1, high: 2 });
    for (let key = 0; key < 10_000; key++) recent.asks(`10.0.${key >>> 8}.${key & 255}`);
    recent.low = 5;
    recent.high = -6;
    const hot = "192.168.77.1";
    for (let time = 0; time < 512; time++) recent.asks(hot);
    recent.low = recent.high = 0;
    const found = Array.from({ length: 20 }, () => recent.asks(hot));
    expect(found).not.toContain(false);
    expect([recent.low, recent.high]).toEqual([5, -6]);
  });

  it("keeps a few hot keys cached among many others", () => {
    const recent = new Asked({ low: 1, high: 2 });
    let found = 0;
    for (let turn = 0; turn < 8_000; turn++) {
      recent.asks(`10.1.${turn >>> 8}.${turn & 255}`);
      if (recent.asks(`hot-${turn % 5}`) && turn >= 4_000) found++;
    }
    expect(found).toBeGreaterThan(3_000);
  });
});
