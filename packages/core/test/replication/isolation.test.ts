import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Isolation } from "../../src/replication/isolation.ts";
import { Members } from "../../src/replication/members.ts";
import { Replicas } from "../../src/store/replicas.ts";

const HEARTBEAT_MS = 1_000;
const SILENT_MS = 3_500;
/** The memory that a daily limit asks for. */
const FORGOTTEN_MS = 2 * 24 * 3_600_000;
/** How long a detector may take to see a change. */
const NOTICED_MS = 10_000;
const STEP_MS = 50;

/** A process as a survivor sees it: it sends a heartbeat each second from its start to its end. */
interface Process {
  readonly id: string;
  readonly phaseMs: number;
  /** What its clock shows when the survivor's shows 0. */
  readonly clockMs: number;
  readonly beginsAtMs: number;
}

/** One survivor, and the other processes of its fleet: each slot of the fleet holds one process at a time. */
class Survivor {
  nowMs = 0;
  readonly isolation = new Isolation();
  readonly members = new Members(new Replicas("self"), {
    silentMs: SILENT_MS,
    membersMax: 4_096,
    lost: () => {},
  });
  readonly #slots: Process[] = [];
  readonly #cutOff = new Set<number>();
  #started = 0;

  constructor(others: number) {
    for (let slot = 0; slot < others; slot++) this.start(slot, 0);
  }

  get isCut(): boolean {
    return this.isolation.isCut;
  }

  /** Kills the process of a slot and starts its replacement some time later. */
  start(slot: number, afterMs: number): void {
    const number = this.#started++;
    this.#slots[slot] = {
      id: number.toString(16).padStart(16, "0"),
      phaseMs: (number * 370) % HEARTBEAT_MS,
      clockMs: (number % 3) * 1_000_000,
      beginsAtMs: this.nowMs + afterMs,
    };
  }

  kill(slot: number): void {
    this.start(slot, Number.POSITIVE_INFINITY);
  }

  cut(...slots: readonly number[]): void {
    for (const slot of slots) this.#cutOff.add(slot);
  }

  heal(): void {
    this.#cutOff.clear();
  }

  say(slot: number): void {
    const { id, clockMs } = this.#slots[slot]!;
    this.members.hear(id, this.nowMs, this.nowMs + clockMs, 0);
  }

  /** Looks while the transport is away. */
  lookAway(): void {
    this.isolation.look(this.nowMs, false, false, this.members);
    this.nowMs += 300;
    this.isolation.look(this.nowMs, false, false, this.members);
  }

  /** Lets time pass, until a condition holds where one is given. */
  pass(ms: number, until: () => boolean = () => false): void {
    for (const endMs = this.nowMs + ms; this.nowMs < endMs && !until(); this.nowMs += STEP_MS) {
      this.#slots.forEach(({ phaseMs, beginsAtMs }, slot) => {
        if (this.#cutOff.has(slot) || beginsAtMs > this.nowMs) return;
        // A process says hello at its start.
        const isFirst = this.nowMs - beginsAtMs < STEP_MS;
        if (isFirst || isDue(this.nowMs, phaseMs)) this.say(slot);
      });
      if (!isDue(this.nowMs, 0)) continue;
      this.members.look(this.nowMs, FORGOTTEN_MS);
      this.isolation.look(this.nowMs, true, false, this.members);
    }
  }
}

function isDue(nowMs: number, phaseMs: number): boolean {
  return (
    Math.floor((nowMs - phaseMs) / HEARTBEAT_MS) !==
    Math.floor((nowMs - STEP_MS - phaseMs) / HEARTBEAT_MS)
  );
}

describe("a survivor of a fleet whose processes are killed and started again", () => {
  it.each([2, 3, 6, 12])(
    "is never cut off for longer than the replacements take, of %i",
    (size) => {
      const survivor = new Survivor(size - 1);
      survivor.pass(10_000);
      for (let slot = 0; slot < size - 1; slot++) {
        survivor.start(slot, 300);
        survivor.pass(1_000);
      }
      survivor.pass(NOTICED_MS);
      expect(survivor.isCut).toBe(false);
    },
  );

  it("is not cut off while all others are replaced at once, each right after its last frame", () => {
    const survivor = new Survivor(5);
    survivor.pass(10_000);
    for (let slot = 0; slot < 5; slot++) {
      survivor.say(slot);
      survivor.start(slot, 0);
    }
    survivor.pass(NOTICED_MS, () => survivor.isCut);
    expect(survivor.isCut).toBe(false);
  });

  it("is heard again after a crash loop of half of the others, with as many as before", () => {
    const survivor = new Survivor(4);
    survivor.pass(10_000);
    for (let loop = 0; loop < 10; loop++) {
      survivor.start(0, 400);
      survivor.start(1, 700);
      survivor.pass(1_500);
    }
    survivor.kill(2);
    survivor.kill(3);
    survivor.pass(5_000);
    survivor.start(2, 0);
    survivor.start(3, 0);
    survivor.pass(NOTICED_MS);
    expect(survivor.isCut).toBe(false);
  });

  it("shares a limit with as many as were there at once", () => {
    const survivor = new Survivor(5);
    survivor.pass(10_000);
    for (let loop = 0; loop < 4; loop++) {
      survivor.start(3, 300);
      survivor.start(4, 300);
      survivor.pass(1_500);
    }
    survivor.cut(2, 3, 4);
    survivor.pass(NOTICED_MS);
    expect(survivor.isolation.separation(false, 0)).toMatchObject({ kind: "cut", replicas: 6 });
  });

  it("shares a limit with all whose first frame it has just heard, where its transport goes away", () => {
    const survivor = new Survivor(3);
    for (const slot of [0, 1, 2]) {
      survivor.say(slot);
      survivor.nowMs += 100;
    }
    survivor.lookAway();
    expect(survivor.isolation.separation(false, 0)).toMatchObject({ kind: "cut", replicas: 4 });
  });

  it("knows a crash from a cut once the other side is heard again", () => {
    const survivor = new Survivor(5);
    survivor.pass(10_000);
    survivor.cut(2, 3, 4);
    survivor.pass(NOTICED_MS);
    survivor.kill(4);
    survivor.heal();
    survivor.pass(NOTICED_MS);
    expect(survivor.isCut).toBe(false);
  });

  it("takes a replacement for one although the last frame of the dead was passed on late", () => {
    const survivor = new Survivor(3);
    survivor.pass(10_000);
    const late = { id: "0".repeat(16), sentAtMs: survivor.nowMs };
    survivor.start(0, 200);
    survivor.pass(2_000);
    survivor.members.hear(late.id, survivor.nowMs, late.sentAtMs, 0);
    survivor.pass(1_000);
    for (const slot of [0, 1, 2]) survivor.kill(slot);
    survivor.pass(5_000);
    expect(survivor.isCut).toBe(true);
    for (const slot of [0, 1, 2]) survivor.start(slot, 0);
    survivor.pass(NOTICED_MS);
    expect(survivor.isCut).toBe(false);
  });
});

describe("a partition of three and three", () => {
  it.each([
    ["with no restart", () => {}],
    [
      "with two restarts on the far side just before",
      (survivor: Survivor) => {
        survivor.start(3, 300);
        survivor.start(4, 600);
        survivor.pass(2_000);
      },
    ],
  ])("is a cut until the other side is heard again: %s", (_, before) => {
    const survivor = new Survivor(5);
    survivor.pass(10_000);
    before(survivor);
    survivor.cut(2, 3, 4);
    survivor.pass(NOTICED_MS);
    expect(survivor.isCut).toBe(true);
    // Restarts on either side during the cut change nothing.
    survivor.start(0, 300);
    survivor.start(3, 300);
    survivor.start(4, 300);
    survivor.pass(60_000);
    expect(survivor.isCut).toBe(true);
    survivor.heal();
    // A replacement counts from its second heartbeat on.
    survivor.pass(3_500);
    expect(survivor.isCut).toBe(false);
  });
});

it("a survivor is still cut off while processes on its own side are replaced", () => {
  const survivor = new Survivor(4);
  survivor.pass(10_000);
  survivor.cut(2, 3);
  survivor.pass(NOTICED_MS);
  for (let phase = 0; phase < 10; phase++) {
    for (const slot of [0, 1]) {
      survivor.say(slot);
      survivor.start(slot, 100);
    }
    survivor.pass(5_100, () => !survivor.isCut);
    expect(survivor.isCut).toBe(true);
  }
});

describe("whatever crashes, restarts and cuts there were", () => {
  const event = fc.record({
    what: fc.constantFrom("restart", "restart", "restart", "cut", "heal"),
    slots: fc.uniqueArray(fc.nat({ max: 6 }), { minLength: 1, maxLength: 7 }),
    downMs: fc.integer({ min: 100, max: 8_000 }),
    passMs: fc.integer({ min: 0, max: 6_000 }),
  });
  const history = fc.record({
    others: fc.integer({ min: 1, max: 7 }),
    events: fc.array(event, { maxLength: 25 }),
  });

  it("a survivor that hears as many as when the cut began is not cut off", () => {
    fc.assert(
      fc.property(history, ({ others, events }) => {
        const survivor = new Survivor(others);
        survivor.pass(5_000);
        for (const { what, slots, downMs, passMs } of events) {
          const chosen = slots.filter((slot) => slot < others);
          if (what === "heal") survivor.heal();
          else if (what === "cut") survivor.cut(...chosen);
          else for (const slot of chosen) survivor.start(slot, downMs);
          survivor.pass(passMs);
        }
        survivor.heal();
        // All that were killed have their replacements.
        survivor.pass(8_000 + NOTICED_MS);
        expect(survivor.isCut, "cut off although all are heard").toBe(false);
        expect(survivor.isolation.known, "more than there ever were").toBeLessThanOrEqual(
          others + 1,
        );
      }),
      seededRuns(60),
    );
  });

  it("a partition that silences half of the others is a cut until they are heard", () => {
    fc.assert(
      fc.property(history, ({ others, events }) => {
        const survivor = new Survivor(others);
        survivor.pass(5_000);
        const far = Array.from({ length: others }, (_, slot) => slot).slice(Math.floor(others / 2));
        // Restarts before the cut are as good as over when it comes.
        for (const { slots, passMs } of events.slice(0, 5)) {
          for (const slot of slots) if (slot < others) survivor.start(slot, 100);
          survivor.pass(passMs);
        }
        survivor.pass(1_500);
        if (far.length === 1 && others > 1) return;
        survivor.cut(...far);
        survivor.pass(NOTICED_MS);
        for (const { slots, downMs, passMs } of events.slice(5)) {
          expect(survivor.isCut, "a cut is not noticed").toBe(true);
          for (const slot of slots) if (slot < others) survivor.start(slot, downMs);
          survivor.pass(passMs);
        }
        expect(survivor.isolation.known, "fewer than there are").toBe(others + 1);
      }),
      seededRuns(60),
    );
  });
});
