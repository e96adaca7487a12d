/**
 * How many bytes a check leaves behind for the collector, beside the caller's key.
 *
 * The process runs with a young generation so large that nothing is collected while this measures,
 * so the growth of the heap is exactly what was allocated. If a collection ran all the same, the
 * figure would be too small, and the scenario fails instead.
 */

import { PerformanceObserver, performance } from "node:perf_hooks";
import { memoryUsage } from "node:process";
import { setTimeout } from "node:timers/promises";
import { collectGarbage } from "../measure/collector.ts";
import { sameKey } from "../measure/keys.ts";
import { address } from "../measure/tape.ts";
import { loadSubject, type SubjectName } from "../subjects/registry.ts";
import { limitFor, type Verdict } from "../subjects/subject.ts";

export interface GarbageParameters {
  readonly subject: SubjectName;
  readonly verdict: Verdict;
}

export interface GarbageRecord {
  readonly kind: "garbage";
  readonly subject: SubjectName;
  readonly verdict: Verdict;
  readonly bytesPerCheck: number;
}

const CHECKS = 100_000;
const WARM_UP_TIMES = 5;

export async function measureGarbage({
  subject: name,
  verdict,
}: GarbageParameters): Promise<GarbageRecord[]> {
  const subject = (await loadSubject(name))({ limit: limitFor(verdict), keysMax: 1_000 });
  const keys = sameKey(address(1), CHECKS);
  for (let time = 0; time < WARM_UP_TIMES; time++) await subject.run(keys);

  const collections: number[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) collections.push(startTime);
  });
  observer.observe({ entryTypes: ["gc"] });

  collectGarbage();
  const start = performance.now();
  const before = memoryUsage().heapUsed;
  const outcome = subject.run(keys);
  const allowed = typeof outcome === "number" ? outcome : await outcome;
  const grown = memoryUsage().heapUsed - before;
  const end = performance.now();

  await setTimeout(10); // The observer hears of collections later.
  observer.disconnect();
  subject.close();
  if (collections.some((time) => time > start && time < end)) {
    throw new Error(`rubbish was collected while measuring ${name}`);
  }
  if (allowed !== (verdict === "allowed" ? CHECKS : 0)) {
    throw new Error(`${name} allowed ${allowed} of ${CHECKS}, all were to be ${verdict}`);
  }
  return [{ kind: "garbage", subject: name, verdict, bytesPerCheck: grown / CHECKS }];
}
