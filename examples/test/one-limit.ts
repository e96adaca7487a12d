/**
 * What tests of several processes share: requests in turn, and one limit that holds over all of them.
 *
 * Requests have a moment between them, in which processes receive each other's counts. So few more than
 * the limit can pass, and without a cluster it would be a multiple of it.
 */

import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import type { Answer } from "./asking.ts";
import type { RunningExample } from "./running-example.ts";

const BETWEEN_MS = 20;

/** Asks each address in turn, until so many requests were sent. */
export async function inTurn(example: RunningExample, count: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  const { addresses } = example;
  for (let sent = 0; sent < count; sent++) {
    answers.push(await example.ask({}, addresses[sent % addresses.length]));
    await pause(BETWEEN_MS);
  }
  return answers;
}

export function expectOneLimit(answers: readonly Answer[], limit: number, processes: number): void {
  const passed = answers.filter(({ status }) => status === 200);
  expect(new Set(passed.map(({ text }) => text)).size).toBe(processes);
  expect(passed.length).toBeGreaterThanOrEqual(limit);
  expect(passed.length).toBeLessThanOrEqual(limit * 1.25);
  const refused = answers.filter(({ status }) => status === 429);
  const others = answers.filter(({ status }) => status !== 200 && status !== 429);
  expect(others).toEqual([]);
  for (const { headers } of refused) expect(Number(headers["retry-after"])).toBeGreaterThan(30);
}
