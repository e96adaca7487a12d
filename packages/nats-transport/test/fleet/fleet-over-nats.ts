/**
 * Processes that share limits over NATS, put under traffic while something goes wrong.
 *
 * The expectation is always the same: no check throws or waits, and once the traffic has ended all
 * processes see exactly what was counted. Timings are recorded and printed. They fail a test only
 * when a check took so long that it must have waited.
 */

import { setTimeout as pause } from "node:timers/promises";
import {
  type Flow,
  fleetSize,
  isWideRun,
  NatsServer,
  type PolicyPlan,
  ProcessFleet,
  type ProcessFleetOptions,
  ProxiedNatsCluster,
  type ReplicaProcess,
  TcpProxy,
  type TrafficFigures,
} from "@tidegate/testkit";
import { expect, type TestOptions, test } from "vitest";
import { isTimed, recordTimings } from "./timings.ts";

const TRANSPORT = new URL("nats-line.mjs", import.meta.url);
/**
 * Far more than a busy machine is late in giving a process its turn, less than anything stands
 * still.
 */
const WAITED_MS = isWideRun() ? 3_000 : 1_000;
/**
 * Until the engine has compiled what it finds worth compiling: of many processes that takes longer.
 */
const WARMING_UP_MS = isWideRun() ? 4_000 : 1_000;
const UNDISTURBED_MS = 1_000;
const HOUR_MS = 3_600_000;
const POLL_MS = 20;
const SCATTERED = "once by ";
const PATIENCE_MS = 20_000;

/** More than is ever counted. */
export const BOUNDLESS: PolicyPlan = { kind: "fixedWindow", limit: 1e9, windowMs: HOUR_MS };

export interface FleetOverNats extends Omit<ProcessFleetOptions, "transport" | "line" | "policy"> {
  readonly policy?: PolicyPlan;
  /** Where each process connects to. */
  readonly url: string | ((number: number) => string);
  /** Whether each receives everything twice. */
  readonly overlaps?: boolean;
}

/**
 * Small fleets wait most of the time and can do so together; large ones and those timed take turns.
 */
export const SCENARIOS: TestOptions = {
  concurrent: !isWideRun() && !isTimed,
  timeout: isWideRun() ? 180_000 : 60_000,
};

/** What one test has started, which ends with it. */
export class Lab {
  readonly #ends: (() => Promise<void>)[] = [];

  async server(config = ""): Promise<NatsServer> {
    return this.#owned(await NatsServer.start({ config }));
  }

  async cluster(): Promise<ProxiedNatsCluster> {
    return this.#owned(await ProxiedNatsCluster.start());
  }

  async lineTo({ url }: NatsServer): Promise<TcpProxy> {
    return this.#owned(await TcpProxy.start(Number(new URL(url).port)));
  }

  /** Processes to be started, each second one with the other client. */
  fleet(options: FleetOverNats): ProcessFleet {
    const { url, overlaps = false, policy = BOUNDLESS, ...rest } = options;
    const urlOf = typeof url === "string" ? () => url : url;
    const line = (number: number) => ({ url: urlOf(number), client: number, overlaps });
    const fleet = new ProcessFleet({ ...rest, policy, transport: TRANSPORT, line });
    this.#ends.push(() => fleet.end());
    return fleet;
  }

  /** So many processes as tests of this run have, that have received each other. */
  started(options: FleetOverNats, size: number = fleetSize()): Promise<ReplicaProcess[]> {
    return this.fleet(options).startAll(size);
  }

  async end(): Promise<void> {
    for (const end of this.#ends.reverse()) await end();
  }

  #owned<Part extends { stop(): Promise<void> }>(part: Part): Part {
    this.#ends.push(() => part.stop());
    return part;
  }
}

export const it = test.extend<{ lab: Lab }>({
  // biome-ignore lint/correctness/noEmptyPattern: what a fixture needs is read from its parameter.
  lab: async ({}, use) => {
    const lab = new Lab();
    await use(lab);
    await lab.end();
  },
});

/**
 * Keys that all are asked for alike, that one process is asked for most, and one process alone; and
 * many that a process is asked for once.
 */
export function flowsOf(number: number): Flow[] {
  const flows = [
    { key: "even", perSecond: 500 },
    { key: "skewed", perSecond: number === 0 ? 2_000 : 50 },
    { key: `${SCATTERED}${number}`, perSecond: 50, isScattered: true },
  ];
  return number === 1 ? [...flows, { key: "sticky", perSecond: 1_000 }] : flows;
}

/** Traffic on all processes of a fleet while something happens. */
export async function underTraffic(
  title: string,
  replicas: readonly ReplicaProcess[],
  happening: () => Promise<void>,
): Promise<void> {
  await Promise.all(replicas.map((replica, number) => replica.begin(...flowsOf(number))));
  await pause(WARMING_UP_MS);
  const cold = await Promise.all(replicas.map((replica) => replica.figures()));
  await pause(UNDISTURBED_MS);
  const before = await Promise.all(replicas.map((replica) => replica.figures()));
  await happening();
  const after = await Promise.all(replicas.map((replica) => replica.end()));
  const settledMs = await agreeOnAll(replicas, after);
  recordTimings({ title, before, after, settledMs });
  for (const { threw, longestMs, checks } of [...cold, ...before, ...after]) {
    expect(checks).toBeGreaterThan(0);
    expect(threw).toBe(0);
    expect(longestMs).toBeLessThan(WAITED_MS);
  }
}

/** Waits until all see what was allowed in all; returns how long that took. */
async function agreeOnAll(
  replicas: readonly ReplicaProcess[],
  figures: readonly TrafficFigures[],
): Promise<number> {
  const truth = truthOf(figures);
  const startedAtMs = performance.now();
  for (const [key, counted] of Object.entries(truth)) {
    if (key.startsWith(SCATTERED)) {
      await agree(replicas, key, counted, (replica) => replica.sum(key, counted));
    } else {
      await agree(replicas, key, counted);
    }
  }
  return performance.now() - startedAtMs;
}

/** What was allowed in all, by key. */
export function truthOf(figures: readonly TrafficFigures[]): Record<string, number> {
  const truth: Record<string, number> = {};
  for (const { keys } of figures) {
    for (const [key, { allowed }] of Object.entries(keys)) truth[key] = (truth[key] ?? 0) + allowed;
  }
  return truth;
}

export async function agree(
  replicas: readonly ReplicaProcess[],
  key: string,
  counted: number,
  view: (replica: ReplicaProcess) => Promise<number> = (replica) => replica.view(key),
): Promise<void> {
  const views = (): Promise<number[]> => Promise.all(replicas.map(view));
  await until(async () => (await views()).every((view) => view === counted), PATIENCE_MS);
  expect({ [key]: await views() }).toEqual({ [key]: replicas.map(() => counted) });
}

/** Waits until a condition holds, or time is up; returns how long that took. */
export async function until(isSo: () => Promise<boolean>, atMostMs: number): Promise<number> {
  const startedAtMs = performance.now();
  while (!(await isSo()) && performance.now() - startedAtMs < atMostMs) await pause(POLL_MS);
  return performance.now() - startedAtMs;
}
