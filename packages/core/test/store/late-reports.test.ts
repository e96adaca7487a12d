/** What has come to nothing is still known, for as long as older reports of it can arrive. */

import { describe, expect, it } from "vitest";
import {
  concurrency,
  fixedWindow,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "../../src/index.ts";
import { fleet, START_MS } from "./fleet.ts";

const gauge = concurrency({ limit: 5 });

describe("a release", () => {
  it("leaves even when the key is swept right after it", () => {
    const [left, right] = fleet([0, 0], [gauge]);
    right!.hit(1, 2);
    left!.joinAll(right!.sent());
    right!.release(1, 2);
    right!.store.sweep(10);
    left!.joinAll(right!.sent());
    expect(left!.held(1)).toBe(0);
  });

  it("is not undone by an earlier report, when the key is swept in between", () => {
    const [left, right] = fleet([0, 0], [gauge]);
    right!.hit(1, 2);
    const before = right!.sent();
    right!.release(1, 2);
    left!.joinAll(right!.sent());
    left!.store.sweep(10);
    left!.joinAll(before);
    expect(left!.held(1)).toBe(0);
  });

  it("is forgotten after a minute in which nothing was held", () => {
    const [left, right] = fleet([0, 0], [gauge]);
    right!.hit(1, 2);
    right!.release(1, 2);
    left!.joinAll(right!.sent());
    for (const member of [left!, right!]) {
      member.store.sweep(10);
      member.at(START_MS + 59_999).store.sweep(10);
      expect(member.knows(1)).toBe(true);
      member.at(START_MS + 60_000).store.sweep(10);
      expect(member.knows(1)).toBe(false);
    }
  });

  it("is kept while an older frame with the held permit may still arrive", () => {
    const [left, right] = fleet([0, 0], [gauge]);
    right!.hit(1, 2);
    const older = right!.sent().map((sent) => ({ ...sent, period: 5 }));
    right!.release(1, 2);
    left!.joinAll(right!.sent().map((sent) => ({ ...sent, period: 7 })));
    const index = left!.replicas.indexOf(right!.id);
    left!.replicas.setReceivedUpTo(index, 4);
    for (const ms of [0, 600_000]) left!.at(START_MS + ms).store.sweep(10);
    left!.joinAll(older);
    expect(left!.held(1)).toBe(0);
    left!.replicas.setReceivedUpTo(index, 7);
    for (const ms of [600_000, 660_000]) left!.at(START_MS + ms).store.sweep(10);
    expect(left!.knows(1)).toBe(false);
  });

  it("ends all permits that are missing when a replica publishes all it holds", () => {
    const [left, right] = fleet([0, 0], [gauge]);
    for (const key of [1, 2, 3]) right!.hit(key, 2);
    const sent = right!.sent();
    left!.joinAll(sent.map((each) => ({ ...each, period: each.low === 1 ? 5 : 7 })));
    left!.replicas.setHeldSince(left!.replicas.indexOf(right!.id), 7);
    expect([1, 2, 3].map((key) => left!.held(key))).toEqual([0, 2, 2]);
    expect(left!.join({ ...sent[0]!, period: 6 })).toBe(false);
    expect([left!.held(1), left!.join({ ...sent[0]!, period: 8 }), left!.held(1)]).toEqual([
      0,
      true,
      2,
    ]);
  });

  it("that did not arrive is known when its key was evicted and begins a new generation", () => {
    const [left, right] = fleet([0, 0], [gauge]);
    right!.hit(1, 2);
    const before = right!.sent();
    left!.joinAll(before);
    right!.release(1, 2);
    for (const ms of [0, 60_000]) right!.at(START_MS + ms).store.sweep(10);
    expect(right!.knows(1)).toBe(false);
    right!.hit(1, 1);
    left!.joinAll(right!.sent());
    expect(left!.held(1)).toBe(1);
    left!.joinAll(before);
    expect(left!.held(1)).toBe(1);
  });

  it("is kept as long while disconnected: a silent replica may know the held permit", () => {
    const [alone] = fleet([0], [gauge]);
    alone!.hit(1, 2);
    alone!.release(1, 2);
    alone!.store.sweep(10);
    expect(alone!.knows(1)).toBe(true);
  });
});

describe("a store that is asked for all", () => {
  it("publishes everything, however many frames it has closed", () => {
    const [member] = fleet([0], [gauge]);
    member!.store.frame = 2 ** 30 + 5;
    member!.hit(1, 2);
    expect(member!.sent(0)).toHaveLength(1);
    expect(member!.sent(2 ** 30 + 4)).toHaveLength(1);
    expect(member!.sent(2 ** 30 + 5)).toHaveLength(0);
  });

  it("knows what changed since a frame, and its evictions, when frame numbers wrap", () => {
    const [member] = fleet([0], [gauge]);
    member!.store.frame = 2 ** 31 - 1;
    member!.hit(1);
    member!.store.closeFrame();
    member!.hit(2);
    const sentSince = (frame: number) => member!.sent(frame).map(({ low }) => low);
    const since = [2 ** 31 - 2, 2 ** 31 - 1, 2 ** 31].map(sentSince);
    expect(since).toEqual([[1, 2], [2], []]);
    member!.release(2);
    member!.store.closeFrame();
    expect([member!.evict(2), member!.store.forgottenIn]).toEqual([true, 2 ** 31]);
  });
});

describe("a refund of all hits", () => {
  for (const policy of [
    fixedWindow({ limit: 5, windowMs: 60_000 }),
    fixedWindow({ limit: 5, windowMs: 60_000, align: true }),
    slidingWindow({ limit: 5, windowMs: 60_000 }),
    tokenBucket({ capacity: 5, refillPerSecond: 1 }),
  ]) {
    const name = policy.kind === "fixedWindow" && policy.align ? "aligned window" : policy.kind;
    it(`is not undone by an earlier report, whatever is swept: ${name}`, () => {
      const [left, right] = fleet([0, 0], [policy]);
      right!.hit(1, 2);
      const before = right!.sent();
      right!.refund(1, 2);
      left!.joinAll(right!.sent());
      left!.store.sweep(10);
      expect(before.map((part) => left!.join(part))).toEqual([false]);
      expect(left!.held(1)).toBe(0);
    });
  }
});

describe("a log that arrives late", () => {
  it("counts only hits inside the window, also with clock errors", () => {
    for (const errorMs of [-400, -5, 0, 5, 400]) {
      const [left, right] = fleet([0, 0], [slidingLog({ limit: 10, windowMs: 8_000 })]);
      left!.replicas.setOffset(1, errorMs);
      for (let hit = 0; hit < 100; hit++) right!.at(START_MS + hit * 1_000).hit(1);
      left!.at(START_MS + 99_000).joinAll(right!.sent());
      expect([right!.held(1), left!.held(1)]).toEqual([8, 8]);
    }
  });
});
