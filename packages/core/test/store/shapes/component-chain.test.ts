import { describe, expect, it } from "vitest";
import { blankComponent } from "../../../src/crdt/component.ts";
import { ComponentChain, type SecondCount } from "../../../src/store/shapes/component-chain.ts";
import { RecordPool } from "../../../src/store/table/record-pool.ts";

const PERIOD = 1_790_000_000_123;

function chained(second: SecondCount) {
  const records = new RecordPool(2);
  const id = records.allocate();
  records.setWord(id, 0, 77);
  return { id, records, chain: new ComponentChain(records, 1, second) };
}

describe("ComponentChain", () => {
  it("finds a component by its whole identity and by nothing less", () => {
    const { id, chain } = chained("none");
    const link = chain.add(id, 3, 2 ** 32 + 5, 4, PERIOD);
    expect(chain.find(id, 3, 5, 4, PERIOD)).toBe(link);
    expect(chain.find(id, 4, 5, 4, PERIOD)).toBe(0);
    expect(chain.find(id, 3, 6, 4, PERIOD)).toBe(0);
    expect(chain.find(id, 3, 5, 3, PERIOD)).toBe(0);
    expect(chain.find(id, 3, 5, 4, PERIOD + 2 ** 32)).toBe(0);
  });

  for (const second of ["none", "refusals", "refunds"] as const) {
    it(`keeps the larger of each count, with ${second} in a word of its own`, () => {
      const { id, chain } = chained(second);
      const link = chain.add(id, 1, 0, 1, PERIOD);
      expect(chain.raise(link, 2 ** 40, 3, 2)).toBe(true);
      expect(chain.raise(link, 2 ** 40 - 1, 2, 1)).toBe(false);
      expect(chain.raise(link, 0, 4, 0)).toBe(true);
      const refusals = second === "refusals" ? 2 : 0;
      expect([chain.hits(link), chain.refunds(link)]).toEqual([2 ** 40, 4]);
      expect(chain.refusals(link)).toBe(refusals);
      const component = blankComponent();
      chain.describe(link, component);
      const counts = { hits: 2 ** 40, refunds: 4, refusals };
      expect(component).toMatchObject({ replica: 1, opener: 1, period: PERIOD, ...counts });
    });
  }

  it("takes components out at the front, in the middle and at the end", () => {
    for (const removed of [0, 1, 2]) {
      const { id, chain, records } = chained("none");
      const links = [1, 2, 3].map((replica) => chain.add(id, replica, 0, 0, PERIOD));
      chain.remove(id, links[removed]!);
      const left: number[] = [];
      for (let link = chain.first(id); link !== 0; link = chain.next(link)) {
        left.push(chain.replica(link));
      }
      expect(left.sort()).toEqual([1, 2, 3].filter((replica) => replica !== removed + 1));
      expect(records.word(id, 0)).toBe(77);
    }
  });

  it("forgets refunds with their component, and everything when it is cleared", () => {
    const { id, chain } = chained("none");
    const link = chain.add(id, 1, 0, 0, PERIOD);
    chain.raise(link, 5, 5, 0);
    chain.remove(id, link);
    expect(chain.refunds(chain.add(id, 2, 0, 0, PERIOD))).toBe(0);
    chain.clear(id);
    expect(chain.first(id)).toBe(0);
  });

  it("is bounded for others' components, and never refuses own ones", () => {
    const { id, chain } = chained("none");
    let added = 0;
    while (chain.add(id, 1 + (added % 100), added, 1, PERIOD) !== 0) added++;
    expect(added).toBe(4_096);
    expect(chain.add(id, 0, 0, 0, PERIOD)).not.toBe(0);
  });

  it("has room for 1,024 components of each replica, however few of others there are", () => {
    const { id, chain } = chained("none");
    let added = 0;
    while (chain.add(id, 1, added, 1, PERIOD) !== 0) added++;
    expect(added).toBe(1_024);
    expect(chain.add(id, 2, 0, 1, PERIOD)).not.toBe(0);
  });
});
