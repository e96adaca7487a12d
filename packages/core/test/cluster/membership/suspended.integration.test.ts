import { ProcessFleet, type ReplicaProcess } from "@tidegate/testkit";
import { afterEach, describe, expect, it } from "vitest";

const MINUTE = 60_000;
/** In which a process must come back, or report that it is degraded. */
const NOTICED_MS = 10_000;
/** A machine on which 25 minutes pass, and one that is suspended meanwhile. */
const AWAKE = { monotonicSkipMs: 25 * MINUTE, wallSkipMs: 25 * MINUTE };
const SUSPENDED = { monotonicSkipMs: 0, wallSkipMs: 25 * MINUTE };
/** A machine that starts before its wall clock is set. */
const UNSET = { startsAheadMs: -20 * MINUTE, monotonicSkipMs: 0, wallSkipMs: 20 * MINUTE };

let fleet: ProcessFleet;

afterEach(() => fleet.end());

function fleetOn(...machines: readonly object[]): Promise<ReplicaProcess[]> {
  fleet = new ProcessFleet({
    transport: new URL("clock-line.mjs", import.meta.url),
    line: (number) => machines[number],
    policy: { kind: "fixedWindow", limit: 1_000_000, windowMs: MINUTE },
    cluster: { secret: "a secret of these processes" },
  });
  return fleet.startAll(machines.length);
}

/** Waits until each process is degraded or not, as expected. */
async function expectDegraded(expected: readonly boolean[]): Promise<void> {
  const degraded = (): Promise<boolean[]> =>
    Promise.all(fleet.replicas.map(async (replica) => (await replica.status()).degraded));
  await expect.poll(degraded, { timeout: NOTICED_MS }).toEqual(expected);
}

describe("processes with a secret", () => {
  it("count with one whose machine was suspended, which comes back under a new id", async () => {
    const replicas = await fleetOn(AWAKE, AWAKE, SUSPENDED);
    const suspended = replicas[2]!;
    const former = (await suspended.status()).replica;
    for (const { child } of replicas) child.kill("SIGUSR2");
    await expect
      .poll(async () => (await suspended.status()).replica, { timeout: NOTICED_MS })
      .not.toBe(former);
    await expectDegraded([false, false, false]);
    for (const replica of replicas) await replica.hit("ada", 10);
    expect(await fleet.settled("ada", 30)).toEqual([30, 30, 30]);
  });

  it("count with one that starts before its clock is set, which is degraded until then", async () => {
    const replicas = await fleetOn(AWAKE, AWAKE, UNSET);
    await expectDegraded([false, false, true]);
    replicas[2]!.child.kill("SIGUSR2");
    await expectDegraded([false, false, false]);
    for (const replica of replicas) await replica.hit("ada", 10);
    expect(await fleet.settled("ada", 30)).toEqual([30, 30, 30]);
  });
});
