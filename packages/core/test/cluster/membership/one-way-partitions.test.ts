import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { holdTime, passTime, releaseTime } from "../simulation/held-time.ts";
import { TappedCluster, type TappedMember } from "../tapped-cluster.ts";

beforeEach(() => {
  holdTime(1_790_000_000_000);
});

afterEach(() => {
  releaseTime();
});

/** A replica that others do not receive, although it receives them. */
function unreached(others: number): { cluster: TappedCluster; one: TappedMember } {
  const cluster = new TappedCluster();
  const one = cluster.add();
  const rest = Array.from({ length: others }, () => cluster.add());
  passTime(3_000);
  for (const { transport } of rest) cluster.network.cut(one.transport, transport);
  return { cluster, one };
}

function isDegraded({ cluster }: TappedMember): boolean {
  return cluster.status().degraded;
}

describe("a process that no other process receives", () => {
  it.each([1, 2, 5])("knows that for as long as it lasts, with %d others", (others) => {
    const { one } = unreached(others);
    passTime(12_000);
    // Others forget it meanwhile.
    for (let seconds = 0; seconds < 600; seconds += 5) {
      expect(isDegraded(one), `after ${seconds} s more`).toBe(true);
      passTime(5_000);
    }
  });

  it.each([15, 50, 100, 400])("knows when the others receive it again, after %d s", (seconds) => {
    const { cluster, one } = unreached(2);
    passTime(seconds * 1_000);
    expect(isDegraded(one)).toBe(true);
    cluster.network.heal();
    passTime(3_000);
    expect(isDegraded(one)).toBe(false);
  });

  it("sends no more about that once the others receive it", () => {
    const { cluster } = unreached(2);
    passTime(100_000);
    cluster.network.heal();
    passTime(60_000);
    cluster.overheard.length = 0;
    passTime(10_000);
    // Three heartbeats a second, and nothing else.
    expect(cluster.overheard.length).toBeLessThanOrEqual(3 * 11);
  });
});
