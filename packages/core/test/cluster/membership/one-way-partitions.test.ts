import { describe, expect, it } from "vitest";
import { TappedFleet, type TappedProcess } from "../tapped-fleet.ts";

/** A replica that others do not receive, although it receives them. */
function unreached(others: number): { cluster: TappedFleet; one: TappedProcess } {
  const cluster = new TappedFleet();
  const one = cluster.add();
  const rest = Array.from({ length: others }, () => cluster.add());
  cluster.pass(3_000);
  for (const { process } of rest) cluster.network.cut(one.process, process);
  return { cluster, one };
}

function isDegraded({ cluster }: TappedProcess): boolean {
  return cluster.status().degraded;
}

describe("a process that no other process receives", () => {
  it.each([1, 2, 5])("knows that for as long as it lasts, with %d others", (others) => {
    const { cluster, one } = unreached(others);
    cluster.pass(12_000);
    // Others forget it meanwhile.
    for (let seconds = 0; seconds < 600; seconds += 5) {
      expect(isDegraded(one), `after ${seconds} s more`).toBe(true);
      cluster.pass(5_000);
    }
  });

  it.each([15, 50, 100, 400])("knows when the others receive it again, after %d s", (seconds) => {
    const { cluster, one } = unreached(2);
    cluster.pass(seconds * 1_000);
    expect(isDegraded(one)).toBe(true);
    cluster.network.heal();
    cluster.pass(3_000);
    expect(isDegraded(one)).toBe(false);
  });

  it("sends no more about that once the others receive it", () => {
    const { cluster } = unreached(2);
    cluster.pass(100_000);
    cluster.network.heal();
    cluster.pass(60_000);
    cluster.overheard.length = 0;
    cluster.pass(10_000);
    // Three heartbeats a second, and nothing else.
    expect(cluster.overheard.length).toBeLessThanOrEqual(3 * 11);
  });
});
