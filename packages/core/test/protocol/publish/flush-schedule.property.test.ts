import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FlushSchedule, isUrgent } from "../../../src/protocol/publish/flush-schedule.ts";
import { expectAtMost } from "../../quick-expectation.ts";

const OPTIONS = { spacingMs: 5, nearMs: 50, farMs: 500 };

describe("unsent hits", () => {
  it("are urgent from half of what is left on, divided by the number of replicas", () => {
    expect([isUrgent(49, 100, 1), isUrgent(50, 100, 1)]).toEqual([false, true]);
    expect([isUrgent(4, 100, 10), isUrgent(5, 100, 10)]).toEqual([false, true]);
    expect([isUrgent(1, 3, 1), isUrgent(1, 2, 1)]).toEqual([false, true]);
    expect([isUrgent(1, 0, 1), isUrgent(1, -30, 1)]).toEqual([true, true]);
  });

  it("never carry a key past its limit, however they fall on replicas that publish when it is urgent", () => {
    let heldBack = 0;
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 1, max: 8 }),
        fc.array(fc.nat({ max: 7 }), { maxLength: 600, size: "max" }),
        (limit, replicas, hits) => {
          let sent = 0;
          const unsent = new Array<number>(replicas).fill(0);
          /** Sends the hits of a replica if they are urgent, by what it knows itself. */
          const send = (replica: number): boolean => {
            const hidden = unsent[replica]!;
            if (hidden === 0 || !isUrgent(hidden, limit - sent - hidden, replicas)) return false;
            sent += hidden;
            unsent[replica] = 0;
            return true;
          };
          for (const hit of hits) {
            const replica = hit % replicas;
            if (sent + unsent[replica]! >= limit) continue;
            unsent[replica]!++;
            // A replica that receives hits checks what it holds back itself.
            if (send(replica)) for (let other = 0; other < replicas; other++) send(other);
            const hidden = unsent.reduce((sum, part) => sum + part, 0);
            heldBack = Math.max(heldBack, hidden);
            expectAtMost(sent + hidden, limit);
          }
        },
      ),
      seededRuns(300),
    );
    // Otherwise all hits were urgent, and the rule was not tried.
    expect(heldBack).toBeGreaterThan(20);
  });
});

describe("the flush schedule", () => {
  it("keeps the least spacing, and no change waits longer than it may", () => {
    const change = fc.tuple(fc.constantFrom("urgent", "near", "far"), fc.nat({ max: 30 }));
    fc.assert(
      fc.property(
        fc.array(change, { maxLength: 60 }),
        fc.nat({ max: 500 }),
        (changes, replicas) => {
          // Twenty replicas that publish as often as they may send four thousand frames a second,
          // as do a hundred.
          const spacingMs = Math.max(OPTIONS.spacingMs, Math.min(Math.ceil(replicas / 4), 100));
          const flushSchedule = new FlushSchedule(OPTIONS);
          let now = 0;
          let left = Number.NEGATIVE_INFINITY;
          let latest = Number.POSITIVE_INFINITY;
          const leave = () => {
            expect(now - left).toBeGreaterThanOrEqual(spacingMs);
            left = now;
            latest = Number.POSITIVE_INFINITY;
            flushSchedule.left(now, replicas);
          };
          for (const [kind, afterMs] of changes) {
            for (const end = now + afterMs; now < end; now++)
              if (now >= flushSchedule.dueAtMs) leave();
            if (kind === "urgent") flushSchedule.due(now);
            else if (kind === "near") flushSchedule.changed(now, 10, 5);
            else flushSchedule.changed(now, 10, 4);
            const waits = { urgent: 0, near: OPTIONS.nearMs, far: OPTIONS.farMs };
            latest = Math.min(latest, Math.max(now + waits[kind], left + spacingMs));
            expect(flushSchedule.dueAtMs).toBe(latest);
          }
        },
      ),
      seededRuns(300),
    );
  });
});
