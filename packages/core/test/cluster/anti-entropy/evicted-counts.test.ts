import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { loadOf } from "../../../src/wire/frame.ts";
import { hit, TappedCluster, used } from "../tapped-cluster.ts";

let cluster: TappedCluster;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
  cluster = new TappedCluster();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("counts that no reply can repeat", () => {
  it("of evicted keys leave in frames of their own that say so", () => {
    const [crowded, other] = [cluster.add({}, { maxKeys: 16 }), cluster.add()];
    vi.advanceTimersByTime(1_000);
    hit(crowded, 7);
    vi.advanceTimersByTime(1_000);
    const loads = (): string[] => cluster.of(crowded).map(({ frame }) => loadOf(frame));
    expect(loads()).not.toContain("unrepeated");
    hit(crowded, 1);
    for (let key = 0; key < 100; key++) hit(crowded, 1, `key ${key}`);
    vi.advanceTimersByTime(1_000);
    expect(new Set(loads())).toEqual(new Set(["short", "reply", "repeated", "unrepeated"]));
    expect(used(other)).toBe(8);
  });

  it("of a replica that leaves do so too", () => {
    const [leaving, other] = [cluster.add(), cluster.add()];
    vi.advanceTimersByTime(1_000);
    hit(leaving, 3);
    void leaving.cluster.leave();
    vi.advanceTimersByTime(10);
    expect(cluster.of(leaving).map(({ frame }) => loadOf(frame))).toContain("unrepeated");
    expect(used(other)).toBe(3);
  });
});
