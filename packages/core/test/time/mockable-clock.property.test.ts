import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { MockableClock } from "../../src/time/mockable-clock.ts";

const RealDate = Date;
const realDateNow = Date.now;

/** How test frameworks mock the date: by another `Date`, or by another `Date.now`. */
const MOCKS = {
  date(atMs: () => number): void {
    restore();
    globalThis.Date = class extends RealDate {
      static override now = atMs;
    } as DateConstructor;
  },
  dateNow(atMs: () => number): void {
    restore();
    RealDate.now = () => atMs();
  },
};

function restore(): void {
  globalThis.Date = RealDate;
  RealDate.now = realDateNow;
}

afterEach(restore);

type Step =
  | { readonly op: keyof typeof MOCKS; readonly stepMs: number }
  | { readonly op: "set"; readonly stepMs: number }
  | { readonly op: "restore" }
  | { readonly op: "break" };

const stepMs = fc.oneof(
  fc.integer({ min: -5, max: 100_000 }),
  fc.constantFrom(-1_800_000_000_000, -86_400_000, 0, 1, 86_400_000),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ op: fc.constantFrom("date" as const, "dateNow" as const), stepMs }),
  fc.record({ op: fc.constant("set" as const), stepMs }),
  fc.record({ op: fc.constant("restore" as const) }),
  fc.record({ op: fc.constant("break" as const) }),
);

function isReal(): boolean {
  return Date === RealDate && Date.now === realDateNow;
}

/**
 * Reads a clock after each step, and holds what has passed by it against the date and real time.
 */
function followsTheDate(loadsUnderMock: boolean, steps: readonly Step[]): void {
  let mockedMs = 0;
  if (loadsUnderMock) MOCKS.date(() => mockedMs);
  const clock = new MockableClock();
  let wasMocked = loadsUnderMock;
  let dateMs = Date.now();
  let realMs = performance.now();
  let readMs = Math.floor(clock.now());
  for (const step of steps) {
    if (step.op === "restore") restore();
    else if (step.op === "break") mockedMs = Number.NaN;
    else {
      mockedMs = dateMs + step.stepMs;
      if (step.op !== "set") MOCKS[step.op](() => mockedMs);
    }
    const isMocked = !isReal();
    const fromMs = wasMocked ? dateMs : realDateNow();
    const isDate = Number.isFinite(Date.now());
    const leastMs = isMocked && isDate ? Math.max(0, Date.now() - fromMs) : 0;
    const previousMs = readMs;
    const previousRealMs = realMs;
    realMs = performance.now();
    readMs = Math.floor(clock.now());
    const realPassedMs = performance.now() - previousRealMs;
    // Between two mocked readings it is exact; else two clocks of the machine are compared.
    const [tooShortMs, tooLongMs] = wasMocked && isMocked ? [0, 0] : [1, realPassedMs + 2];
    expect(readMs - previousMs).toBeGreaterThanOrEqual(Math.max(0, leastMs - tooShortMs));
    expect(readMs - previousMs).toBeLessThanOrEqual(leastMs + tooLongMs);
    if (isDate) dateMs = Date.now();
    else if (!wasMocked) dateMs = fromMs;
    wasMocked = isMocked;
  }
  restore();
}

describe("a clock that follows a mocked date", () => {
  it("takes its steps forward for time, and ignores the end of a mock", () => {
    fc.assert(
      fc.property(fc.boolean(), fc.array(step, { maxLength: 20 }), (loadsUnderMock, steps) => {
        restore();
        followsTheDate(loadsUnderMock, steps);
      }),
      seededRuns(300),
    );
  });
});
