import { setTimeout as pause } from "node:timers/promises";
import { ProcessFleet, type ProcessFleetOptions } from "@tidegate/testkit";
import { afterEach, describe, expect, it } from "vitest";

const transport = new URL("ipc-line.mjs", import.meta.url);
/**
 * A check that took longer would have waited for something; how long they take is not for tests to
 * say.
 */
const WAITED_MS = 1_000;
/** In which a process must have noticed that as many others run as before. */
const NOTICED_MS = 10_000;

let fleet: ProcessFleet;

/** Processes that share a limit for ten minutes. */
function fleetOf(limit: number, options: Partial<ProcessFleetOptions> = {}): ProcessFleet {
  fleet = new ProcessFleet({
    ...options,
    transport,
    policy: { kind: "fixedWindow", limit, windowMs: 600_000 },
  });
  return fleet;
}

afterEach(() => fleet.end());

describe("processes of one machine", () => {
  it("see the same in the end, which is all that was counted, however traffic is spread", async () => {
    fleetOf(1_000_000);
    const [one, two, three] = await fleet.startAll(3);
    const results = await Promise.all([
      one!.hit("even", 1_000, 500),
      two!.hit("even", 1_000, 500),
      three!.hit("even", 1_000, 500),
      one!.hit("skewed", 3_000, 500),
      two!.hit("skewed", 10, 500),
      three!.hit("sticky", 500, 500),
    ]);
    expect(Math.max(...results.map(({ longestMs }) => longestMs))).toBeLessThan(WAITED_MS);
    expect(await fleet.settled("even", 3_000)).toEqual([3_000, 3_000, 3_000]);
    expect(await fleet.settled("skewed", 3_010)).toEqual([3_010, 3_010, 3_010]);
    expect(await fleet.settled("sticky", 500)).toEqual([500, 500, 500]);
  });

  it("hold one limit together", async () => {
    fleetOf(300);
    const replicas = await fleet.startAll(3);
    const results = await Promise.all(replicas.map((replica) => replica.hit("ada", 300, 1_500)));
    const allowed = results.reduce((sum, result) => sum + result.allowed, 0);
    expect(allowed).toBeGreaterThanOrEqual(300);
    expect(allowed).toBeLessThan(330);
  });

  it("keep the published counts of one that is killed, and publish them to the next", async () => {
    fleetOf(1_000_000);
    const [one, two] = await fleet.startAll(2);
    await one!.hit("ada", 100);
    await two!.hit("ada", 10);
    expect(await fleet.settled("ada", 110)).toEqual([110, 110]);
    await one!.kill();
    const three = await fleet.start().ready();
    expect(await fleet.settled("ada", 110, [two!, three])).toEqual([110, 110]);
    await three.hit("ada", 5);
    expect(await fleet.settled("ada", 115, [two!, three])).toEqual([115, 115]);
  });

  it("agree again with one that was stopped for seconds", async () => {
    fleetOf(1_000_000);
    const [one, two, three] = await fleet.startAll(3);
    three!.child.kill("SIGSTOP");
    await Promise.all([one!.hit("ada", 200, 3_000), two!.hit("ada", 300, 3_000)]);
    three!.child.kill("SIGCONT");
    await three!.hit("ada", 50);
    expect(await fleet.settled("ada", 550)).toEqual([550, 550, 550]);
  });

  it("lose nothing when one after the other is replaced", async () => {
    fleetOf(1_000_000);
    let replicas = await fleet.startAll(2);
    let counted = 0;
    for (let turn = 0; turn < 2; turn++) {
      for (const replica of replicas) await replica.hit("ada", 20);
      counted += 20 * replicas.length;
      const next = await fleet.startAll(2);
      // Under load, a joining process requests what it missed within five seconds.
      expect(await fleet.settled("ada", counted, next)).toEqual([counted, counted]);
      for (const replica of replicas) await replica.leave();
      replicas = next;
    }
    expect(await fleet.settled("ada", counted, replicas)).toEqual([counted, counted]);
  });

  it("are not partitioned once as many run as before, after a crash loop and after kill -9 of most", async () => {
    fleetOf(1_000_000, { onPartition: "closed" });
    const [survivor, ...others] = await fleet.startAll(4);
    for (let loop = 0; loop < 3; loop++) {
      for (const slot of others.keys()) {
        await others[slot]!.kill();
        others[slot] = fleet.start();
        await pause(400);
      }
    }
    await Promise.all(others.map((other) => other.kill()));
    await expect
      .poll(async () => (await survivor!.status()).degraded, { timeout: NOTICED_MS })
      .toBe(true);
    const replaced = await fleet.startAll(3);
    for (const replica of [survivor!, ...replaced]) {
      await expect
        .poll(async () => (await replica.status()).degraded, { timeout: NOTICED_MS })
        .toBe(false);
    }
    expect((await survivor!.hit("ada", 100)).allowed).toBe(100);
  });
});
