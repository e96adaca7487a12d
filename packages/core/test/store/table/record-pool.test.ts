import { describe, expect, it } from "vitest";
import { RECORD_BITS, RecordPool } from "../../../src/store/table/record-pool.ts";

const CHUNK = 2 ** RECORD_BITS;

describe("RecordPool", () => {
  it("never moves a record's number or words when it grows", () => {
    const pool = new RecordPool(3);
    const ids: number[] = [];
    for (let count = 0; count < 2 * CHUNK + 10; count++) {
      const id = pool.allocate();
      pool.setWord(id, 0, id);
      pool.setWord(id, 2, -id);
      ids.push(id);
    }
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).not.toContain(0);
    expect(ids.every((id) => pool.word(id, 0) === id && pool.word(id, 2) === -id)).toBe(true);
    expect(ids.every((id) => pool.word(id, 1) === 0)).toBe(true);
  });

  it("keeps the chunks where they are, so that hot code may hold on to them", () => {
    const pool = new RecordPool(2);
    while (pool.end <= CHUNK) pool.allocate();
    pool.take(1);
    const first = pool.chunk;
    while (pool.end <= 3 * CHUNK) pool.allocate();
    pool.take(2);
    expect([pool.chunk === first, pool.start]).toEqual([true, 4]);
  });

  it("holds counts up to 2^53 - 1 and stops there, and negative ones, beside small ones", () => {
    const pool = new RecordPool(2);
    const [small, wide] = [pool.allocate(), pool.allocate()];
    const counts = [0, 1, -1, 2 ** 31 - 2, 2 ** 31 - 1, 2 ** 31, 2 ** 32 + 5, -(2 ** 40)];
    for (const count of [...counts, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 7]) {
      pool.setCount(wide, 1, count);
      expect([pool.count(wide, 1), pool.count(small, 1)]).toEqual([count, 0]);
    }
    pool.setCount(wide, 1, 2 ** 60);
    expect(pool.count(wide, 1)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it("allocates a released record again with every word and count 0", () => {
    const pool = new RecordPool(2);
    const [kept, released] = [pool.allocate(), pool.allocate()];
    pool.setCount(kept, 0, 2 ** 40);
    pool.setCount(released, 0, 2 ** 41);
    pool.setCount(released, 1, 2 ** 42);
    pool.release(released);
    expect(pool.size).toBe(1);
    expect(pool.allocate()).toBe(released);
    expect([pool.count(released, 0), pool.count(released, 1)]).toEqual([0, 0]);
    expect(pool.count(kept, 0)).toBe(2 ** 40);
  });

  it("allocates the record released last first, and no number twice", () => {
    const pool = new RecordPool(1);
    const ids = Array.from({ length: 100 }, () => pool.allocate());
    for (const id of ids.slice(1, 50)) pool.release(id);
    const again = Array.from({ length: 60 }, () => pool.allocate());
    expect(new Set([ids[0], ...ids.slice(50), ...again]).size).toBe(111);
    expect(again.map((id) => pool.word(id, 0))).toEqual(again.map(() => 0));
    expect(pool.size).toBe(111);
  });

  it("selects a record at its present position, also after its chunk has moved", () => {
    const pool = new RecordPool(2);
    const first = pool.allocate();
    pool.take(first);
    pool.setWord(first, 1, 7);
    while (pool.end <= 100) pool.allocate();
    pool.take(first);
    pool.setWord(first, 1, 8);
    expect(pool.chunk[pool.start + 1]).toBe(8);
    pool.release(first);
    pool.take(pool.allocate());
    expect(pool.chunk[pool.start + 1]).toBe(0);
  });

  it("allocates no more numbers than its bound", () => {
    const pool = new RecordPool(1, 3);
    expect([1, 2, 3, 4].map(() => pool.allocate())).toEqual([1, 2, 3, 0]);
    pool.release(2);
    expect([pool.allocate(), pool.allocate()]).toEqual([2, 0]);
  });

  it("frees all memory with the last record", () => {
    const pool = new RecordPool(4);
    const ids = Array.from({ length: CHUNK + 5 }, () => pool.allocate());
    pool.setCount(ids[3]!, 0, 2 ** 40);
    for (const id of ids) pool.release(id);
    expect([pool.size, pool.chunk.length, pool.end]).toEqual([0, 0, 1]);
    expect(pool.count(pool.allocate(), 0)).toBe(0);
  });
});
