import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FlushSchedule, isUrgent } from "../../../src/replication/publish/flush-schedule.ts";
import { expectAtMost } from "../../quick-expectation.ts";

const OPTIONS = { spacingMs: 5, nearMs: 50, farMs: 500 };

describe("unpublished hits", () => {
  it("never carry a key past its limit, however they fall on replicas that publish when it is urgent", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 1, max: 8 }),
        fc.array(fc.nat({ max: 7 }), { maxLength: 600, size: "max" }),
        (limit, replicas, hits) => {
          let published = 0;
          const unpublished = new Array<number>(replicas).fill(0);
          const truth = () => published + unpublished.reduce((sum, part) => sum + part, 0);
          for (const hit of hits) {
            const replica = hit % replicas;
            if (published + unpublished[replica]! >= limit) continue;
            unpublished[replica]!++;
            const used = published + unpublished[replica]!;
            if (isUrgent(replicas, unpublished[replica]!, limit, used)) {
              published += unpublished[replica]!;
              unpublished[replica] = 0;
              // A replica that receives them checks what it holds back itself.
              for (let other = 0; other < replicas; other++) {
                const known = published + unpublished[other]!;
                if (
                  unpublished[other]! > 0 &&
                  isUrgent(replicas, unpublished[other]!, limit, known)
                ) {
                  published += unpublished[other]!;
                  unpublished[other] = 0;
                }
              }
            }
            expectAtMost(truth(), limit);
          }
        },
      ),
      seededRuns(300),
    );
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
