import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Sender } from "../src/sender.ts";
import { FakeConnection, turn } from "./fake-connection.ts";

const events: string[] = [];
let connection: FakeConnection;
let sender: Sender;

beforeEach(() => {
  vi.useFakeTimers();
  events.length = 0;
  connection = new FakeConnection();
  connection.answers = false;
  sender = new Sender(connection, {
    arrived: () => events.push("arrived"),
    failed: (error) => events.push(String(error)),
    late: () => events.push("late"),
    stuck: () => events.push("stuck"),
  });
});
afterEach(() => {
  vi.useRealTimers();
});

function send(bytes: number): boolean {
  return sender.send("subject", new Uint8Array(bytes));
}

/** Bytes of the frames that were handed to the client. */
function handed(): number[] {
  return connection.published.map(({ payload }) => payload.length);
}

describe("a sender", () => {
  it("flushes all frames of one turn with one flush", async () => {
    for (const bytes of [10, 20, 30]) expect(send(bytes)).toBe(true);
    expect(connection.flushes).toHaveLength(0);
    await turn();
    expect([handed(), connection.flushes.length]).toEqual([[10, 20, 30], 1]);
  });

  it("has at most 64 KB on its way, and hands over the rest when that was read", async () => {
    for (const bytes of [40_000, 20_000, 10_000, 100]) expect(send(bytes)).toBe(true);
    await turn();
    expect(handed()).toEqual([40_000, 20_000]);
    expect(sender.waitingBytes).toBe(10_100);
    connection.flushes.shift()!.resolve();
    await turn();
    expect(handed()).toEqual([40_000, 20_000, 10_000, 100]);
    expect([sender.waitingBytes, events]).toEqual([0, ["arrived"]]);
  });

  it("keeps the order of waiting frames, also of one that would fit at once", async () => {
    send(60_000);
    send(10_000);
    send(1);
    await turn();
    connection.thaw();
    await turn();
    expect(handed()).toEqual([60_000, 10_000, 1]);
  });

  it("sends a frame longer than a round alone", async () => {
    send(1);
    send(100_000);
    await turn();
    expect(handed()).toEqual([1]);
    connection.thaw();
    await turn();
    expect(handed()).toEqual([1, 100_000]);
  });

  it("drops a frame that would make more than 1 MB wait", async () => {
    const taken = Array.from({ length: 30 }, () => send(50_000)).filter(Boolean);
    expect(taken).toHaveLength(21);
    expect(sender.waitingBytes).toBe(1_000_000);
    await turn();
    expect(handed()).toEqual([50_000]);
  });

  it("sends frames while rounds are out, as long as they fit beside them", async () => {
    send(30_000);
    await turn();
    send(30_000);
    await turn();
    expect(connection.flushes).toHaveLength(2);
    send(30_000);
    await turn();
    expect(handed()).toHaveLength(2);
    connection.flushes.shift()!.resolve();
    await turn();
    expect(handed()).toHaveLength(3);
  });

  it("is late when no answer comes for a second: it drops waiting frames and takes none", async () => {
    for (const bytes of [60_000, 60_000, 60_000]) send(bytes);
    await turn();
    vi.advanceTimersByTime(999);
    expect(sender.isLate).toBe(false);
    vi.advanceTimersByTime(1);
    expect([sender.isLate, sender.waitingBytes, sender.framesDropped]).toEqual([true, 0, 2]);
    expect([send(1), events]).toEqual([false, ["late"]]);
    connection.thaw();
    await turn();
    expect([sender.isLate, send(1), events]).toEqual([false, true, ["late", "arrived"]]);
  });

  it("is stuck when no answer comes for five seconds, and reports it once", async () => {
    send(1);
    await turn();
    vi.advanceTimersByTime(60_000);
    expect(events).toEqual(["late", "stuck"]);
  });

  it("is not late while answers come, however many rounds are out", async () => {
    for (let round = 0; round < 20; round++) {
      send(1_000);
      await turn();
      vi.advanceTimersByTime(300);
      if (round > 1) connection.flushes.shift()?.resolve();
      await turn();
    }
    expect(events).not.toContain("late");
  });

  it("drops everything when a flush fails", async () => {
    for (const bytes of [60_000, 60_000]) send(bytes);
    await turn();
    connection.flushes.shift()!.reject(new Error("disconnected"));
    await turn();
    expect([sender.waitingBytes, events]).toEqual([0, ["Error: disconnected"]]);
    expect(send(60_000)).toBe(true);
    expect(handed()).toHaveLength(2);
  });

  it("ignores answers to frames from before a reset", async () => {
    send(60_000);
    await turn();
    sender.reset();
    connection.thaw();
    await turn();
    expect(events).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("resolves when all has left, when nothing will leave, and at once when nothing waits", async () => {
    await sender.settled();
    for (const act of [
      () => connection.thaw(),
      () => sender.reset(),
      () => vi.advanceTimersByTime(1_000),
    ]) {
      connection.answers = false;
      sender.reset();
      for (const bytes of [60_000, 60_000]) send(bytes);
      let isSettled = false;
      const settled = sender.settled().then(() => {
        isSettled = true;
      });
      await turn();
      expect(isSettled).toBe(false);
      act();
      await turn();
      await settled;
    }
  });

  it("leaves no timer behind when everything was answered", async () => {
    connection.answers = true;
    send(1);
    await turn();
    expect([events, vi.getTimerCount()]).toEqual([["arrived"], 0]);
  });
});
