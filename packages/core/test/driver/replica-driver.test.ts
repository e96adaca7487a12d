import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Report } from "../../src/base/cluster-events.ts";
import { ReplicaDriver } from "../../src/driver/replica-driver.ts";
import type { Transport, TransportContext } from "../../src/transport/transport.ts";
import { kindOf } from "../cluster/tapped-cluster.ts";

/** A transport that a test makes busy, and that keeps what is published. */
class Line implements Transport {
  connected = true;
  busy = false;
  readonly published: (string | undefined)[] = [];
  /** Called while a frame is published. */
  during: () => void = () => {};
  receive: (frame: Uint8Array) => void = () => {};
  #context: TransportContext | undefined;

  open(receive: (frame: Uint8Array) => void, context: TransportContext): void {
    this.receive = receive;
    this.#context = context;
  }

  publish(frame: Uint8Array): boolean {
    this.published.push(kindOf(frame));
    this.during();
    return true;
  }

  close(): void {}

  setBusy(busy: boolean): void {
    this.busy = busy;
    if (!busy) this.#context?.changed?.();
  }
}

function driverOn(transport: Transport, report: Report = () => {}): ReplicaDriver {
  return new ReplicaDriver({
    transport,
    namespace: "shop",
    secret: undefined,
    clock: { now: () => performance.now(), wall: () => Date.now() },
    id: "0123456789abcdef",
    random: () => 0.5,
    readyTimeoutMs: 0,
    onCold: "open",
    flushMs: 50,
    report,
  });
}

let line: Line;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
  line = new Line();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a driver", () => {
  it.each([[undefined], ["a string"], [new ArrayBuffer(9)], [new DataView(new ArrayBuffer(9))]])(
    "refuses what is no frame, such as %s",
    (odd) => {
      const driver = driverOn(line);
      driver.open();
      line.receive(odd as never);
      expect(driver.replica.rejections.frames).toEqual({ malformed: 1 });
    },
  );

  it("never enters the replica while it runs, whatever a transport does while it publishes", () => {
    const driver = driverOn(line);
    const { replica } = driver;
    let depth = 0;
    let deepest = 0;
    for (const name of ["step", "work", "poll"] as const) {
      const call = replica[name].bind(replica) as (...given: unknown[]) => unknown;
      (replica as unknown as Record<string, unknown>)[name] = (...given: unknown[]) => {
        deepest = Math.max(deepest, ++depth);
        try {
          return call(...given);
        } finally {
          depth--;
        }
      };
    }
    line.during = () => {
      if (line.published.length < 10) line.receive(new Uint8Array([1, 2, 3]));
    };
    driver.open();
    vi.advanceTimersByTime(5_000);
    expect(deepest).toBe(1);
    expect(replica.rejections.frames.malformed).toBeGreaterThan(0);
  });

  it("leaves if user code asks for that while it handles a report", async () => {
    let left: Promise<void> | undefined;
    const driver: ReplicaDriver = driverOn(line, () => {
      left ??= driver.leave();
    });
    driver.open();
    line.connected = false;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(left).toBeDefined();
    await left;
    expect(line.published.at(-1)).toBe("leave");
  });

  it("sends one heartbeat when a transport was busy for a minute, and not sixty", () => {
    const driver = driverOn(line);
    driver.open();
    vi.advanceTimersByTime(3_000);
    line.setBusy(true);
    vi.advanceTimersByTime(1_000);
    const before = line.published.length;
    vi.advanceTimersByTime(60_000);
    expect(line.published.length).toBe(before);
    line.setBusy(false);
    expect(line.published.slice(before)).toEqual(["heartbeat"]);
    expect(driver.replica.deadline()).toBeGreaterThan(driver.time.read());
  });

  it("does nothing more once it has left", async () => {
    const driver = driverOn(line);
    driver.open();
    await driver.leave();
    const before = line.published.length;
    line.receive(new Uint8Array(99));
    line.setBusy(false);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([line.published.length, line.published.at(-1)]).toEqual([before, "leave"]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
