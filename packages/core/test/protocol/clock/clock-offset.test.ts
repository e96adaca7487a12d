import { seededRandom, seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ClockOffset, clusterOffsetMs } from "../../../src/protocol/clock/clock-offset.ts";

describe("the offset to another replica's clock", () => {
  it("is too large by the travelling time of the fastest frame of sixteen seconds, and never too small", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -600_000, max: 600_000 }),
        fc.array(fc.tuple(fc.nat({ max: 400 }), fc.nat({ max: 900 })), { minLength: 1 }),
        (truthMs, frames) => {
          const offset = new ClockOffset();
          const heard: { atMs: number; delayMs: number }[] = [];
          let atMs = 1_000_000;
          for (const [afterMs, delayMs] of frames) {
            atMs += afterMs;
            heard.push({ atMs, delayMs });
            const errorMs = offset.received(atMs, atMs - truthMs - delayMs) - truthMs;
            const fastest = (withinMs: number): number =>
              Math.min(
                ...heard.filter((one) => one.atMs > atMs - withinMs).map((one) => one.delayMs),
              );
            expect(errorMs).toBeLessThanOrEqual(fastest(15_000));
            expect(errorMs).toBeGreaterThanOrEqual(fastest(16 * 1_400));
          }
        },
      ),
      seededRuns(200),
    );
  });

  it("follows a clock that fell back a little, once sixteen seconds have passed", () => {
    const offset = new ClockOffset();
    for (let frame = 0; frame < 20; frame++) offset.received(frame * 100 + 3, frame * 100);
    for (let frame = 20; frame < 170; frame++) offset.received(frame * 100 + 3, frame * 100 - 900);
    expect(offset.offsetMs).toBe(3);
    for (let frame = 170; frame < 190; frame++) offset.received(frame * 100 + 3, frame * 100 - 900);
    expect(offset.offsetMs).toBe(903);
  });

  it("is not raised by some seconds in which a busy machine holds up all frames", () => {
    const offset = new ClockOffset();
    for (let beat = 0; beat < 20; beat++) offset.received(beat * 1_000 + 3, beat * 1_000);
    for (let frame = 0; frame < 140; frame++) {
      const sentAtMs = 20_000 + 100 * frame;
      expect(offset.received(sentAtMs + 300 + frame, sentAtMs)).toBe(3);
    }
  });

  /** Receives a frame a second until 15 s, with an offset of 3 ms. */
  function heardFor15s(): ClockOffset {
    const offset = new ClockOffset();
    for (let beat = 0; beat < 16; beat++) offset.received(beat * 1_000 + 3, beat * 1_000);
    return offset;
  }

  it("is suspect a few seconds after a silence, if all later frames are late by the length of the silence", () => {
    const offset = heardFor15s();
    for (let beat = 25; beat < 28; beat++) {
      expect(offset.suspectSinceMs).toBeUndefined();
      offset.received(beat * 1_000 + 3, beat * 1_000 - 9_000);
      expect([offset.offsetMs, offset.likelyOffsetMs]).toEqual([3, 9_003]);
    }
    expect(offset.suspectSinceMs).toBe(25_003);
    offset.step();
    expect(offset.offsetMs).toBe(9_003);
  });

  it("is not suspect if frames come later and later, or have waited in a queue of constant length", () => {
    const offset = heardFor15s();
    let lateMs = 0;
    for (let sentAtMs = 16_000; sentAtMs < 160_000; sentAtMs += 100) {
      // The queue grows for a minute, keeps its length for another, and is gone after that.
      if (sentAtMs < 80_000) lateMs += 60;
      else if (sentAtMs > 130_000) lateMs = Math.max(0, lateMs - 200);
      // Single frames are held up for much longer now and then.
      if (sentAtMs % 10_000 === 5_000) offset.received(sentAtMs + lateMs + 3_000, sentAtMs - 1);
      const jitterMs = 100 * ((sentAtMs / 100) % 7);
      expect(offset.received(sentAtMs + lateMs + jitterMs + 3, sentAtMs)).toBe(3);
      expect(offset.suspectSinceMs).toBeUndefined();
    }
  });

  it("is not suspect if this process was held up during the silence", () => {
    const offset = heardFor15s();
    for (let beat = 25; beat < 35; beat++) {
      offset.received(beat * 1_000 + 3, beat * 1_000 - 9_000, 8_000);
      expect([offset.suspectSinceMs, offset.offsetMs]).toEqual([undefined, 3]);
    }
  });

  it("is accepted as changed if frames are late by the same for sixteen seconds", () => {
    const offset = heardFor15s();
    for (let beat = 25; beat < 40; beat++) {
      expect(offset.received(beat * 1_000 + 3, beat * 1_000 - 9_000, 8_000)).toBe(3);
    }
    expect(offset.received(40_003, 31_000, 8_000)).toBe(9_003);
  });

  it("is right again after the other machine was suspended twice within a few seconds", () => {
    const offset = heardFor15s();
    // Two silences of five seconds, and two frames in between.
    for (let beat = 20; beat < 22; beat++) {
      offset.received(beat * 1_000 + 3, beat * 1_000 - 5_000);
    }
    for (let beat = 27; beat < 30; beat++) {
      expect(offset.suspectSinceMs).toBeUndefined();
      offset.received(beat * 1_000 + 3, beat * 1_000 - 10_000);
    }
    offset.step();
    expect(offset.offsetMs).toBe(10_003);
  });

  it("is right again when this machine was suspended as well, and frames have waited meanwhile", () => {
    const offset = heardFor15s();
    // At first all frames come at once that were sent while this machine slept.
    for (let sent = 0; sent < 8; sent++) offset.received(26_000 + sent, 16_000 + sent * 1_000);
    for (let beat = 28; beat < 43; beat++) {
      expect([offset.suspectSinceMs, offset.offsetMs]).toEqual([undefined, 3]);
      offset.received(beat * 1_000 + 3, beat * 1_000 - 2_950);
    }
    expect(offset.offsetMs).toBe(2_953);
  });

  it("is a guess until frames have arrived in three seconds", () => {
    const offset = new ClockOffset();
    for (let frame = 0; frame < 20; frame++) offset.received(2_000 + frame, 100 * frame);
    expect(offset.isMeasured).toBe(false);
    for (let beat = 4; beat < 6; beat++) offset.received(beat * 1_000, beat * 1_000);
    expect([offset.isMeasured, offset.offsetMs]).toEqual([true, 0]);
  });

  it("is not changed by a burst of frames that were held up", () => {
    const offset = new ClockOffset();
    for (let beat = 0; beat < 16; beat++) offset.received(beat * 1_000 + 3, beat * 1_000);
    for (let frame = 0; frame < 30; frame++) {
      expect(offset.received(20_000 + frame, 16_000 + 100 * frame)).toBe(3);
    }
  });
});

describe("the cluster's clock", () => {
  it("is the earlier one of two clocks, and otherwise the lower median", () => {
    expect(clusterOffsetMs([])).toBe(0);
    expect([clusterOffsetMs([500]), clusterOffsetMs([-500])]).toEqual([-500, 0]);
    expect(clusterOffsetMs([10, -10])).toBe(0);
  });

  it("cannot be moved beyond the right clocks by fewer than half of all clocks", () => {
    const random = seededRandom(3);
    for (let round = 0; round < 200; round++) {
      const good = Array.from({ length: 4 }, () => Math.floor(random() * 20) - 10);
      const bad = Array.from({ length: 3 }, () => Math.floor(random() * 1_200_000) - 600_000);
      const offsetMs = clusterOffsetMs([...bad, ...good]);
      expect(Math.abs(offsetMs)).toBeLessThanOrEqual(10);
    }
  });

  it("is the same for all replicas that know each other, up to the differences of their clocks", () => {
    const clocks = [0, 40, -30, 900_000, 7];
    const shown = clocks.map((own) => {
      const offsets = clocks.filter((clock) => clock !== own).map((clock) => own - clock);
      return own + clusterOffsetMs(offsets);
    });
    expect(new Set(shown)).toEqual(new Set([7]));
  });
});
