import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type MemoryNetwork,
  type MemoryNetworkOptions,
  memoryNetwork,
} from "../../src/transport/memory-network.ts";
import type { Transport } from "../../src/transport/transport.ts";
import { TRANSPORT_CONTRACT } from "../../src/transport/transport-contract.ts";

describe("the network in memory keeps the contract of transports", () => {
  for (const { title, run } of TRANSPORT_CONTRACT) {
    it(title, async () => {
      const network = memoryNetwork({ loss: 0.2, duplicate: 0.2, delayMs: 3 });
      await run({ transport: () => network.transport() });
    });
  }
});

/** Two transports, and what the second has received, as text. */
function pair(options: MemoryNetworkOptions): {
  network: MemoryNetwork;
  ends: readonly [Transport, Transport];
  heard: string[];
  say: (text: string) => boolean;
} {
  const network = memoryNetwork(options);
  const ends = [network.transport(), network.transport()] as const;
  const heard: string[] = [];
  ends[0].open(() => {}, { namespace: "shop", replica: "a" });
  const receive = (frame: Uint8Array) => heard.push(Buffer.from(frame).toString());
  ends[1].open(receive, { namespace: "shop", replica: "b" });
  return { network, ends, heard, say: (text) => ends[0].publish(Buffer.from(text)) };
}

describe("the network in memory", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_790_000_000_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("loses and repeats the requested part of frames, the same every time", () => {
    const run = () => {
      const { heard, say } = pair({ loss: 0.5, duplicate: 0.3, delayMs: 5, seed: 42 });
      for (let index = 0; index < 1_000; index++) say(`${index}`);
      vi.advanceTimersByTime(5_000);
      return heard;
    };
    const heard = run();
    const once = new Set(heard).size;
    expect(once).toBeGreaterThan(450);
    expect(once).toBeLessThan(550);
    expect(heard.length / once).toBeGreaterThan(1.25);
    expect(heard.length / once).toBeLessThan(1.35);
    expect(run()).toEqual(heard);
  });

  it("copies a Buffer too, so that no receiver shares its memory", () => {
    const { ends, heard } = pair({});
    const frame = Buffer.from("hello");
    ends[0].publish(frame);
    frame.fill(0);
    vi.advanceTimersByTime(1);
    expect(heard).toEqual(["hello"]);
  });

  it("delivers after the delay and not before", () => {
    const { heard, say } = pair({ delayMs: 100 });
    say("hello");
    vi.advanceTimersByTime(99);
    expect(heard).toEqual([]);
    vi.advanceTimersByTime(51);
    expect(heard).toEqual(["hello"]);
  });

  it("is cut one way, until it is healed", () => {
    const { network, ends, heard, say } = pair({});
    network.cut(ends[1], ends[0]);
    say("one");
    network.cut(ends[0], ends[1]);
    say("two");
    vi.advanceTimersByTime(10);
    expect(heard).toEqual(["one"]);
    network.heal();
    say("three");
    vi.advanceTimersByTime(10);
    expect(heard).toEqual(["one", "three"]);
  });

  it("refuses a loss that is not from 0 to 1", () => {
    expect(() => memoryNetwork({ loss: 2 })).toThrow("'loss' must be a number from 0 to 1, got 2");
  });
});
