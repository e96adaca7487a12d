import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ReplicaDriver } from "../../../src/driver/replica-driver.ts";
import type { Transport, TransportContext } from "../../../src/transport/transport.ts";

/** A transport to no other process, which a test connects and disconnects. */
class Line implements Transport {
  connected = false;
  published = 0;
  #context: TransportContext | undefined;

  open(_receive: (frame: Uint8Array) => void, context: TransportContext): void {
    this.#context = context;
  }

  publish(): boolean {
    this.published++;
    return this.connected;
  }

  close(): void {}

  becomes(isConnected: boolean): void {
    this.connected = isConnected;
    this.#context?.changed?.();
  }
}

function driverOn(transport: Transport): ReplicaDriver {
  return new ReplicaDriver({
    transport,
    namespace: "shop",
    secret: undefined,
    clock: { now: () => performance.now() },
    id: "0123456789abcdef",
    random: () => 0.5,
    readyTimeoutMs: 0,
    onCold: "open",
    flushMs: 50,
    report: () => {},
  });
}

describe("a replica whose transport has connected again", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("sends a heartbeat at once, and only then", async () => {
    const line = new Line();
    const driver = driverOn(line);
    driver.open();
    line.becomes(true);
    vi.advanceTimersByTime(1);
    const before = line.published;
    line.becomes(false);
    vi.advanceTimersByTime(1);
    expect(line.published).toBe(before);
    line.becomes(true);
    vi.advanceTimersByTime(1);
    expect(line.published).toBe(before + 1);
    line.becomes(true);
    vi.advanceTimersByTime(1);
    expect(line.published).toBe(before + 1);
    await driver.leave();
    line.becomes(false);
    line.becomes(true);
    vi.advanceTimersByTime(10_000);
    expect(line.published).toBe(before + 2);
  });
});
