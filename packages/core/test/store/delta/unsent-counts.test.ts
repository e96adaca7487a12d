import { describe, expect, it } from "vitest";
import { UnsentCounts } from "../../../src/store/delta/unsent-counts.ts";
import type { Announcer } from "../../../src/store/store.ts";
import { FRAME, HEADER_WORDS } from "../../../src/store/table/entry.ts";
import { RecordPool } from "../../../src/store/table/record-pool.ts";

/** The announcements, as unsent hits and their limits. */
class Announced implements Announcer {
  readonly unsentHits: number[] = [];
  readonly ceilings: number[] = [];

  began(): void {}

  counted(_now: number, unsentHits: number, ceiling: number): void {
    this.unsentHits.push(unsentHits);
    this.ceilings.push(ceiling);
  }

  urgent(): void {}
}

function unsentOf(keys: number): {
  unsent: UnsentCounts;
  records: RecordPool;
  announced: Announced;
  ids: number[];
} {
  const records = new RecordPool(HEADER_WORDS);
  const announced = new Announced();
  const ids = Array.from({ length: keys }, () => records.allocate());
  return { unsent: new UnsentCounts(records, announced), records, announced, ids };
}

function begin({ unsent, records }: ReturnType<typeof unsentOf>, id: number): number {
  const word = unsent.begin(id, 0);
  records.setWord(id, FRAME, word);
  return word;
}

describe("records with unsent counts", () => {
  it("get the number of their frame when they are settled", () => {
    const all = unsentOf(3);
    for (const id of all.ids) begin(all, id);
    all.unsent.close(7);
    expect(all.unsent.closedSize).toBe(3);
    expect([0, 1, 2].map((period) => all.unsent.settle(period))).toEqual(all.ids);
    expect(all.ids.map((id) => all.records.word(id, FRAME))).toEqual([7, 7, 7]);
  });

  it("are in the next frame when they change before they are settled", () => {
    const all = unsentOf(2);
    const [one, other] = all.ids as [number, number];
    const word = begin(all, one);
    begin(all, other);
    all.unsent.close(7);
    expect(all.unsent.has(one, word)).toBe(false);
    // It may get the same place again, or another.
    begin(all, other);
    begin(all, one);
    all.unsent.settle(0);
    all.unsent.settle(1);
    for (const id of all.ids) expect(all.unsent.has(id, all.records.word(id, FRAME))).toBe(true);
  });

  it("are not mistaken for those at the same positions of the next frame", () => {
    const all = unsentOf(2);
    const [one, other] = all.ids as [number, number];
    const word = begin(all, one);
    all.unsent.close(7);
    expect(begin(all, other)).toBe(word);
    all.unsent.counted(word, 1, 10, 1, 0);
    all.unsent.merged(one, 9, 0);
    all.unsent.merged(other, 9, 0);
    expect(all.announced.unsentHits).toEqual([1, 1]);
    all.unsent.settle(0);
    expect(all.records.word(one, FRAME)).toBe(7);
  });

  it("are not mistaken for those of an old frame with the same number", () => {
    const all = unsentOf(2);
    const [one, other] = all.ids as [number, number];
    begin(all, one);
    const word = begin(all, other);
    all.unsent.close(7);
    all.unsent.close(8);
    expect(all.unsent.has(other, word)).toBe(false);
  });

  it("stay unchanged when another key has them by the time they are settled", () => {
    const all = unsentOf(2);
    const [one] = all.ids as [number];
    begin(all, one);
    all.unsent.close(7);
    all.records.release(one);
    expect(all.records.allocate()).toBe(one);
    all.unsent.settle(0);
    expect(all.records.word(one, FRAME)).toBe(0);
  });

  it("are counted up until their frame is closed", () => {
    const all = unsentOf(1);
    const [one] = all.ids as [number];
    const word = begin(all, one);
    all.unsent.counted(word, 2, 10, 2, 0);
    all.unsent.counted(word, 3, 10, 5, 0);
    all.unsent.close(7);
    all.unsent.counted(begin(all, one), 1, 10, 6, 0);
    expect(all.announced.unsentHits).toEqual([2, 5, 1]);
  });

  it("have the smallest limit of those in their frame alone", () => {
    const all = unsentOf(2);
    const [one, other] = all.ids as [number, number];
    const word = begin(all, one);
    for (const limit of [10, 3, 10]) all.unsent.counted(word, 1, limit, 2, 0);
    all.unsent.close(7);
    all.unsent.counted(begin(all, other), 1, 10, 2, 0);
    expect(all.announced.ceilings).toEqual([10, 3, 3, 10]);
  });
});
