/**
 * How many requests of one client a fleet admits in each window: real processes behind a load balancer that takes
 * them in turn. Without a shared count each process admits the whole limit.
 */

import { Agent, get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { AskedProcess } from "../../asked-process.ts";
import type { FleetWorkerParameters } from "../../http/fleet-worker.ts";

export interface FleetParameters {
  readonly limiter: FleetWorkerParameters["limiter"];
  readonly processes: number;
  readonly limit: number;
  readonly windowMs: number;
  readonly windows: number;
  readonly requestsPerSecond: number;
}

export interface FleetRecord {
  readonly kind: "fleet";
  readonly limiter: FleetParameters["limiter"];
  readonly processes: number;
  readonly limit: number;
  readonly windowMs: number;
  readonly requestsPerSecond: number;
  /** When each admitted request was sent, in milliseconds from the first request. */
  readonly admittedAtMs: readonly number[];
  /** Admitted requests of each window. */
  readonly perWindow: readonly number[];
}

const WORKER = new URL("../../http/fleet-worker.js", import.meta.url);
/** Windows of the limiters begin with a request, and those of this table with the first one of all. */
const BETWEEN_WINDOWS_MS = 250;

export async function measureFleet(
  { limiter, processes, limit, windowMs, windows, requestsPerSecond }: FleetParameters,
  progress: (activity: string) => void,
): Promise<FleetRecord[]> {
  const namespace = `bench-${process.pid}`;
  const fleet = Array.from(
    { length: processes },
    (_, index) =>
      new AskedProcess(`process ${index + 1} of ${limiter}`, WORKER, {
        ...{ limiter, limit, windowMs, namespace },
      } satisfies FleetWorkerParameters),
  );
  const agent = new Agent({ keepAlive: true });
  try {
    const ports = await Promise.all(fleet.map((one) => one.ask({ step: "listen" })));
    const everyMs = 1_000 / requestsPerSecond;
    const admittedAtMs: number[] = [];
    const perWindow: number[] = [];
    const begunAt = performance.now();
    let sent = 0;
    for (let window = 0; window < windows; window++) {
      progress(`window ${window + 1} of ${windows}`);
      const startMs = window * (windowMs + BETWEEN_WINDOWS_MS);
      const answers: Promise<boolean>[] = [];
      for (let atMs = startMs; atMs < startMs + windowMs; atMs += everyMs) {
        const waitMs = begunAt + atMs - performance.now();
        if (waitMs > 0) await sleep(waitMs);
        const sentAtMs = performance.now() - begunAt;
        const answer = isAdmitted(ports[sent++ % ports.length]!, agent);
        answers.push(answer);
        answer.then(
          (isAdmitted) => isAdmitted && admittedAtMs.push(sentAtMs),
          () => {}, // The scenario fails by the same promise below.
        );
      }
      perWindow.push((await Promise.all(answers)).filter(Boolean).length);
    }
    const shape = { limiter, processes, limit, windowMs, requestsPerSecond } as const;
    return [
      { kind: "fleet", ...shape, admittedAtMs: admittedAtMs.toSorted((a, b) => a - b), perWindow },
    ];
  } finally {
    agent.destroy();
    for (const one of fleet) one.close();
  }
}

/** Whether a request passes; rejects for any answer but 200 and 429. */
function isAdmitted(port: number, agent: Agent): Promise<boolean> {
  return new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, agent }, (response) => {
      response.resume();
      const { statusCode } = response;
      if (statusCode === 200 || statusCode === 429) resolve(statusCode === 200);
      else reject(new Error(`a request was answered with ${statusCode}`));
    }).on("error", reject);
  });
}
