/**
 * What the design promises of any number of stores, whatever the network does: no replica sees a hit
 * that did not happen, and once everything has arrived all see the same and decide the same.
 */

import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  concurrency,
  fixedWindow,
  type Policy,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "../../src/index.ts";
import { Decider } from "../../src/limiter/decider.ts";
import { type Carried, type Member, meet } from "./fleet.ts";
import { CLOCKS_MS, deeds, KEYS, listener, tell } from "./writers.ts";

const WINDOW_MS = 8_000;
const SPREAD_MS = 100;

const windowCases: readonly { name: string; policies: readonly Policy[]; unit: number }[] = [
  {
    name: "first-hit windows",
    policies: [fixedWindow({ limit: 9, windowMs: WINDOW_MS })],
    unit: 1,
  },
  {
    name: "aligned windows",
    policies: [fixedWindow({ limit: 9, windowMs: WINDOW_MS, align: true })],
    unit: 1,
  },
  {
    name: "sliding windows",
    policies: [slidingWindow({ limit: 9, windowMs: WINDOW_MS, slots: 8 })],
    unit: WINDOW_MS / 8,
  },
  { name: "gauges", policies: [concurrency({ limit: 9 })], unit: 1 },
];

const log = { name: "logs", policies: [slidingLog({ limit: 9, windowMs: WINDOW_MS })], unit: 1 };
const bucket = {
  name: "buckets",
  policies: [tokenBucket({ capacity: 9, refillPerSecond: 3 })],
  unit: 1_000,
};

/** The end of a component's window in true time, when it is lent the end of one just after it. */
function endOf({ opener, period }: Carried): number {
  return period - clockOf(opener) + WINDOW_MS + SPREAD_MS;
}

function clockOf(replica: string): number {
  return CLOCKS_MS[Number(replica.at(-1))]!;
}

function nameOf({ low, replica, generation, reset, opener, period }: Carried): string {
  return [low, replica, generation, reset, opener, period].join("/");
}

/** The largest counts that writers themselves have ever shown of each component. */
function truthOf(snapshots: readonly (readonly Carried[])[]): Map<string, Carried> {
  const truth = new Map<string, Carried>();
  for (const part of snapshots.flat()) {
    const known = truth.get(nameOf(part));
    if (known === undefined || part.hits > known.hits) truth.set(nameOf(part), part);
  }
  return truth;
}

describe("no replica sees a hit that did not happen", () => {
  for (const { name, policies, unit } of windowCases) {
    it(`in ${name}, at any step of any delivery`, () => {
      const order = fc.array(fc.nat(), { maxLength: 40 });
      fc.assert(
        fc.property(deeds("evict"), order, (story, picks) => {
          const { snapshots, endMs, writers } = tell(policies, WINDOW_MS, story);
          const isOver = (part: Carried): boolean =>
            name === "first-hit windows" && endOf(part) <= endMs;
          const truth = [...truthOf(snapshots).values()].filter((part) => !isOver(part));
          const member = listener(policies, endMs);
          const said = snapshots.flat();
          for (const watcher of [member, ...writers]) {
            watcher.at(endMs);
            for (const pick of picks) {
              const part = said[pick % Math.max(1, said.length)];
              if (part !== undefined) watcher.join(part);
              for (const key of KEYS) {
                const counted = truth.filter(({ low }) => low === key);
                const most = counted.reduce((sum, { hits }) => sum + hits, 0);
                expect(watcher.held(key)).toBeLessThanOrEqual(most * unit);
              }
            }
          }
        }),
        seededRuns(30),
      );
    });
  }

  it("in logs, when a replica's components of a key arrive together", () => {
    fc.assert(
      fc.property(deeds("evict"), fc.array(fc.nat(), { maxLength: 40 }), (story, picks) => {
        const { snapshots, endMs } = tell(log.policies, WINDOW_MS, story);
        const member = listener(log.policies, endMs);
        const most = KEYS.map((key) => hitsInside(snapshots, key, endMs));
        for (const pick of picks) {
          member.joinAll(snapshots[pick % snapshots.length]!);
          KEYS.forEach((key, index) => {
            expect(member.held(key)).toBeLessThanOrEqual(most[index]!);
          });
        }
      }),
      seededRuns(30),
    );
  });
});

describe("every pair of hits and refunds that is seen is a past state of its writer", () => {
  for (const { name, policies, unit } of windowCases) {
    it(`in ${name}`, () => {
      fc.assert(
        fc.property(
          deeds("refund", "release", "refund", "release"),
          fc.array(fc.nat(), { maxLength: 40 }),
          (story, picks) => {
            const alone = story.map((deed) => ({ ...deed, writer: 0, passes: 0, key: 1 }));
            const { snapshots, endMs } = tell(policies, WINDOW_MS, alone);
            const past = snapshots.map((parts) => heldIn([...truthOf([parts]).values()]));
            const member = listener(policies, endMs);
            for (const pick of picks) {
              member.joinAll(snapshots[pick % snapshots.length]!);
              expect([0, ...past].map((held) => held * unit)).toContain(member.held(1));
            }
          },
        ),
        seededRuns(30),
      );
    });
  }
});

describe("once everything has arrived, all replicas see and decide the same", () => {
  for (const { name, policies } of [...windowCases, log, bucket]) {
    it(`in ${name}, with clocks that differ by amounts known exactly`, () => {
      const story = deeds("refund", "release", "reset", "resetAll");
      fc.assert(
        fc.property(story, (deedsDone) => {
          const { writers, endMs } = tell(policies, 3_000, deedsDone);
          for (const writer of writers) writer.at(endMs);
          for (let round = 0; round < 3; round++) meet(writers);
          const views = writers.map((writer) => KEYS.map((key) => writer.view(key)));
          expect(views).toEqual(writers.map(() => views[0]));
          for (const key of KEYS) {
            for (const cost of [1, 3, 9]) {
              const answers = writers.map((writer) => answer(writer, policies, key, cost));
              expect(answers).toEqual(writers.map(() => answers[0]));
            }
          }
        }),
        seededRuns(30),
      );
    });
  }

  for (const { name, policies, unit } of windowCases) {
    it(`in ${name}, and that is the sum of all replicas' counts`, () => {
      fc.assert(
        fc.property(deeds("refund", "release"), (story) => {
          const { writers, endMs } = tell(policies, 0, story);
          for (const writer of writers) writer.at(endMs);
          for (let round = 0; round < 2; round++) meet(writers);
          for (const key of KEYS) {
            const said = writers.flatMap((writer) => writer.sent());
            const sum = heldIn(said.filter(({ low }) => low === key));
            expect(writers[0]!.held(key)).toBe(sum * unit);
          }
        }),
        seededRuns(30),
      );
    });
  }
});

function answer(member: Member, policies: readonly Policy[], key: number, cost: number): object {
  const decider = new Decider(member.store, member.rules, policies);
  const { allowed, used, remaining, resetMs, retryAfterMs } = decider.decide(
    "peek",
    key,
    ~key,
    cost,
    undefined,
  );
  return { allowed, used, remaining, resetMs, retryAfterMs };
}

function heldIn(parts: readonly Carried[]): number {
  return parts.reduce((sum, { hits, refunds }) => sum + hits - refunds, 0);
}

/** Hits that lie in the last window, by the latest total of each log and its total at the start. */
function hitsInside(
  snapshots: readonly (readonly Carried[])[],
  key: number,
  endMs: number,
): number {
  const lists = new Map<string, Carried[]>();
  for (const part of snapshots.flat().filter(({ low }) => low === key)) {
    const name = [part.replica, part.generation].join("/");
    lists.set(name, [...(lists.get(name) ?? []), part]);
  }
  let sum = 0;
  for (const points of lists.values()) {
    const startMs = endMs - WINDOW_MS + clockOf(points[0]!.replica);
    const left = points.filter(({ period }) => period <= startMs);
    const total = Math.max(...points.map(({ hits }) => hits));
    sum += total - Math.max(0, ...left.map(({ hits }) => hits));
  }
  return sum;
}
