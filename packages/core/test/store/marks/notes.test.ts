import { describe, expect, it } from "vitest";
import { MARK_MS_MAX } from "../../../src/crdt/mark.ts";
import { fixedWindow } from "../../../src/index.ts";
import { MarkedWait } from "../../../src/limiter/penalties.ts";
import { Notes } from "../../../src/store/marks/notes.ts";
import { fleet, type Member, START_MS } from "../fleet.ts";

const BLOCK = 0;
const PENALTY = 1;
const LIMIT = 10;
const window = fixedWindow({ limit: LIMIT, windowMs: 60_000 });

function waitMs(member: Member, key: number, limit: number = LIMIT): number {
  const marked = new MarkedWait();
  marked.read(member.store, key, ~key, limit);
  return marked.waitMs;
}

function mark(member: Member, key: number, kind: number, limit = Number.POSITIVE_INFINITY): void {
  member.store.mark(key, ~key, kind, member.store.clusterNow + 5_000, limit);
}

describe("Notes", () => {
  it("are bounded, and the oldest one is dropped", () => {
    const notes = new Notes(3, 1_000);
    for (const key of [1, 2, 3, 4]) notes.raiseReset(notes.obtain(key, 0), key, 0, 0);
    expect([notes.size, notes.dropped]).toEqual([3, 1]);
    expect([1, 2, 3, 4].map((key) => notes.find(key, 0)?.reset)).toEqual([undefined, 2, 3, 4]);
  });

  it("tell keys apart by both halves of the fingerprint", () => {
    const notes = new Notes(9, 1_000);
    notes.raiseReset(notes.obtain(1, 2), 5, 0, 0);
    expect([notes.find(1, 3), notes.find(2, 2), notes.find(-1, 2)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(notes.find(1, 2)?.reset).toBe(5);
  });

  it("are kept as long as what they end can still arrive, and as their marks last", () => {
    const notes = new Notes(9, 1_000);
    notes.raiseReset(notes.obtain(1, 0), 5, 100, 4);
    notes.joinMark(notes.obtain(2, 0), BLOCK, { reset: 0, untilMs: 900, limit: 1 });
    notes.raiseMarkReset(notes.obtain(3, 0), 5, 100);
    const left = (now: number): number[] => {
      notes.sweep(now, now, 100);
      return [...notes.all()].map(({ low }) => low).sort();
    };
    expect(left(899)).toEqual([1, 2, 3]);
    expect(left(900)).toEqual([1, 3]);
    expect(left(1_100)).toEqual([1, 3]);
    // Its clock is one behind the reset, and may be ten seconds behind others'.
    expect(left(11_100)).toEqual([1, 3]);
    expect(left(11_101)).toEqual([3]);
    expect(left(100 + MARK_MS_MAX)).toEqual([]);
  });

  it("are swept a few at a time, each in its turn", () => {
    const notes = new Notes(99, 10);
    for (let key = 0; key < 50; key++)
      notes.raiseReset(notes.obtain(key, 0), 1, key < 30 ? 9e9 : 0, 1);
    for (let round = 0; round < 10; round++) notes.sweep(20_000, 20_000, 5);
    expect(notes.size).toBe(30);
  });
});

describe("notes that changed since a frame", () => {
  function changed(keys: readonly number[]): Notes {
    const notes = new Notes(9, 1_000);
    for (const key of keys) notes.change(notes.obtain(key, 0), key);
    return notes;
  }

  const read = (notes: Iterable<{ low: number }>): number[] => Array.from(notes, ({ low }) => low);

  it("come newest first, each once, without those that have left or were dropped", () => {
    const notes = changed([1, 2, 3, 4]);
    notes.change(notes.obtain(2, 0), 5);
    expect(read(notes.changedSince(0))).toEqual([2, 4, 3, 1]);
    expect(read(notes.changedSince(3))).toEqual([2, 4]);
    notes.raiseReset(notes.obtain(4, 0), 1, 99_999, 0);
    notes.sweep(9_999, 9_999, 100);
    expect(read(notes.changedSince(0))).toEqual([4]);
    notes.clear();
    expect(read(notes.changedSince(0))).toEqual([]);
  });

  it("are all read but for those that change while the reader pauses", () => {
    const notes = changed([1, 2, 3, 4, 5, 6]);
    const reader = notes.changedSince(0);
    const before = [reader.next(), reader.next()].map(({ value }) => value?.low);
    // The reader pauses at 5, which changes as the notes on both sides of it do.
    for (const key of [5, 4, 6, 2]) notes.change(notes.obtain(key, 0), 7);
    expect([...before, ...read(reader)]).toEqual([6, 5, 3, 1]);
    expect(read(notes.changedSince(6))).toEqual([2, 6, 4, 5]);
  });
});

describe("marks and resets of a key", () => {
  it("survive the eviction of its counts", () => {
    const [member] = fleet([0], [window]);
    member!.hit(1);
    mark(member!, 1, BLOCK);
    const reset = member!.reset(2);
    expect(member!.evict(1)).toBe(true);
    expect([waitMs(member!, 1), member!.store.resets.known(2, ~2)]).toEqual([5_000, reset]);
    member!.hit(1);
    expect(member!.store.isNoted(member!.store.find(1, ~1))).toBe(true);
  });

  it("are lifted by a higher limit only where a limit caused them", () => {
    const [member] = fleet([0], [window]);
    mark(member!, 1, PENALTY, LIMIT);
    expect([waitMs(member!, 1, LIMIT), waitMs(member!, 1, LIMIT + 1)]).toEqual([5_000, 0]);
    mark(member!, 1, BLOCK);
    expect(waitMs(member!, 1, LIMIT + 1)).toBe(5_000);
  });

  it("are voided by a reset of the key, by one of all keys, and by an unblock", () => {
    for (const lift of ["reset", "resetAll", "unmark"] as const) {
      const [member] = fleet([0], [window]);
      member!.hit(1, 3);
      mark(member!, 1, BLOCK);
      member!.store[lift](1, ~1);
      expect(waitMs(member!, 1)).toBe(0);
      expect(member!.held(1)).toBe(lift === "unmark" ? 3 : 0);
      mark(member!, 1, BLOCK);
      expect(waitMs(member!, 1)).toBe(5_000);
    }
  });

  it("are merged in their order, whatever order they arrive in", () => {
    const earlier = { reset: 0, untilMs: START_MS + 1_000, limit: LIMIT };
    const later = { reset: 0, untilMs: START_MS + 9_000, limit: LIMIT };
    for (const marks of [
      [earlier, later],
      [later, earlier],
    ]) {
      const [member] = fleet([0], [window]);
      for (const heard of marks) member!.store.resets.joinMark(1, ~1, PENALTY, heard);
      expect(waitMs(member!, 1)).toBe(9_000);
      expect(member!.store.resets.joinMark(1, ~1, PENALTY, earlier)).toBe(false);
    }
  });

  it("from before an unblock do not come back", () => {
    const [left, right] = fleet([0, 0], [window]);
    mark(left!, 1, BLOCK);
    const [note] = left!.notes();
    right!.store.resets.joinMark(1, ~1, BLOCK, note!.marks[BLOCK]!);
    right!.at(START_MS + 1).store.unmark(1, ~1);
    right!.store.resets.joinMark(1, ~1, BLOCK, note!.marks[BLOCK]!);
    expect(waitMs(right!, 1)).toBe(0);
  });
});
