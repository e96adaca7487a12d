import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ReplyParts,
  ReplyPartsBudget,
  type ReplyPartsFault,
} from "../../../src/protocol/anti-entropy/reply-parts.ts";

const SENDERS = 5;
const PLACES_MAX = 60;

const anyPage = fc.record({
  sender: fc.nat({ max: SENDERS - 1 }),
  since: fc.nat({ max: 1 }),
  upTo: fc.integer({ min: 1, max: 2 }),
  replyNumber: fc.nat({ max: 3 }),
  part: fc.nat({ max: 40 }),
  isLast: fc.boolean(),
  others: fc.array(fc.nat({ max: 50 }), { maxLength: 40 }),
});

describe("the gathered parts of long replies", () => {
  it("take no more than their budget, whatever a sender sends", () => {
    fc.assert(
      fc.property(fc.array(anyPage, { maxLength: 200 }), fc.nat(), (pages, forgotten) => {
        const lost: ReplyPartsFault[] = [];
        const room = new ReplyPartsBudget((why) => lost.push(why), PLACES_MAX);
        const senders = Array.from({ length: SENDERS }, () => new ReplyParts(room));
        pages.forEach(({ sender, isLast, part, others, ...page }, at) => {
          const named = new Map(others.map((id) => [String(id), { upTo: at, above: 0 }]));
          senders[sender]!.add({ ...page, part, parts: isLast ? part + 1 : 0 }, named);
          expect(room.taken).toBeLessThanOrEqual(PLACES_MAX);
          if (at === forgotten % pages.length) senders[sender]!.forget();
        });
        for (const sender of senders) sender.forget();
        expect(room.taken).toBe(0);
      }),
      seededRuns(300),
    );
  });

  it("are a whole when all parts of one reply have arrived, in any order, and never before", () => {
    const tellings = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(tellings, fc.array(fc.nat(), { maxLength: 40 }), (sizes, order) => {
        const sent = sizes.flatMap((size, replyNumber) =>
          Array.from({ length: size }, (_, part) => ({ replyNumber, part, size })),
        );
        const parts = new ReplyParts(new ReplyPartsBudget(() => {}));
        const received = sizes.map(() => new Set<number>());
        for (const pick of order) {
          const { replyNumber, part, size } = sent[pick % sent.length]!;
          received[replyNumber]!.add(part);
          const isWhole = received[replyNumber]!.size === size;
          if (isWhole) received[replyNumber]!.clear();
          const page = {
            since: 1,
            upTo: 2,
            replyNumber,
            part,
            parts: part + 1 === size ? size : 0,
          };
          expect(parts.add(page, new Map()) !== undefined).toBe(isWhole);
        }
      }),
      seededRuns(500),
    );
  });

  it("are dropped where they have waited longest, and that is reported", () => {
    const lost: ReplyPartsFault[] = [];
    const room = new ReplyPartsBudget((why) => lost.push(why), PLACES_MAX);
    const [lawful, ...hostile] = Array.from({ length: 20 }, () => new ReplyParts(room));
    const page = { since: 1, upTo: 9, replyNumber: 1, parts: 0 };
    for (let part = 0; part < 20; part++) {
      lawful!.add({ ...page, part }, new Map());
      hostile[part % hostile.length]!.add(
        { ...page, part },
        new Map([["gone", { upTo: part, above: 0 }]]),
      );
    }
    expect(lawful!.add({ ...page, part: 20, parts: 21 }, new Map())).toBeDefined();
    expect(new Set(lost)).toEqual(new Set(["tooManyParts"]));
    for (let replyNumber = 1; replyNumber < 7; replyNumber++) {
      lawful!.add({ ...page, replyNumber, part: 0 }, new Map());
    }
    expect(lost.filter((why) => why === "incomplete")).toHaveLength(2);
  });
});
