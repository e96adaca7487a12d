import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type Cluster,
  createLimiter,
  fixedWindow,
  joinCluster,
  type Limiter,
} from "../../../src/index.ts";
import { memoryNetwork } from "../../../src/testing.ts";
import type { Transport, TransportContext } from "../../../src/transport/transport.ts";

const KEYS = 20_000;
const policy = fixedWindow({ limit: 10, windowMs: 600_000 });

let network = memoryNetwork();

/** Takes some frames, and another whenever the one before has had time to leave. */
class SlowLine implements Transport {
  connected = true;
  dropped = 0;
  readonly #inner = network.transport();
  readonly #frameMs: number;
  #waiting: Uint8Array[] = [];
  #context: TransportContext | undefined;

  constructor(frameMs: number) {
    this.#frameMs = frameMs;
  }

  get busy(): boolean {
    return this.#waiting.length > 0;
  }

  open(receive: (frame: Uint8Array) => void, context: TransportContext): void {
    this.#context = context;
    this.#inner.open(receive, context);
  }

  publish(frame: Uint8Array): boolean {
    if (!this.connected || this.#waiting.length >= 4) {
      this.dropped++;
      return false;
    }
    this.#waiting.push(frame);
    if (this.#waiting.length === 1) setTimeout(() => this.#pass(), this.#frameMs);
    return true;
  }

  async close(): Promise<void> {
    while (this.busy) await new Promise((resolve) => setTimeout(resolve, 1));
    await this.#inner.close();
  }

  #pass(): void {
    const frame = this.#waiting.shift();
    if (frame !== undefined) this.#inner.publish(frame);
    if (this.busy) setTimeout(() => this.#pass(), this.#frameMs);
    else this.#context?.changed?.();
  }
}

function member(transport: Transport): { cluster: Cluster; limiter: Limiter } {
  const cluster = joinCluster({ transport, namespace: "shop" });
  return { cluster, limiter: createLimiter({ name: "api", policy, cluster }) };
}

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
  network = memoryNetwork();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a process that leaves with much to publish", () => {
  it("publishes it no faster than the transport takes it, and then says that it leaves", async () => {
    const line = new SlowLine(50);
    const [one, two] = [member(line), member(network.transport())];
    await vi.advanceTimersByTimeAsync(1_000);
    for (let key = 0; key < KEYS; key++) one.limiter.check(`key ${key}`);
    const left = vi.fn();
    void one.cluster.leave().then(left);
    await vi.advanceTimersByTimeAsync(100);
    expect(left).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(left).toHaveBeenCalled();
    expect([line.dropped, two.limiter.status().keys]).toEqual([0, KEYS]);
    expect(two.limiter.peek(`key ${KEYS - 1}`).used).toBe(1);
    expect(two.cluster.status().peers.map(({ isAlive }) => isAlive)).toEqual([false]);
    expect(one.cluster.status().lastTrouble).toBeNull();
  });

  it("leaves after five seconds all the same, and reports that counts were not published", async () => {
    const line = new SlowLine(4_000);
    const one = member(line);
    await vi.advanceTimersByTimeAsync(20_000);
    for (let key = 0; key < KEYS; key++) one.limiter.check(`key ${key}`);
    const left = vi.fn();
    void one.cluster.leave().then(left);
    await vi.advanceTimersByTimeAsync(4_900);
    expect(one.cluster.status().lastTrouble).toBeNull();
    await vi.advanceTimersByTimeAsync(200);
    expect(one.cluster.status().lastTrouble).toMatch(/^this process left before all of its counts/);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(left).toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("does not wait for a connection that is lost meanwhile and does not come back", async () => {
    const line = new SlowLine(50);
    const one = member(line);
    await vi.advanceTimersByTimeAsync(1_000);
    for (let key = 0; key < KEYS; key++) one.limiter.check(`key ${key}`);
    const left = vi.fn();
    void one.cluster.leave().then(left);
    await vi.advanceTimersByTimeAsync(100);
    line.connected = false;
    await vi.advanceTimersByTimeAsync(1_500);
    expect(left).toHaveBeenCalled();
  });
});
