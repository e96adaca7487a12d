/** Clients that hang up, and the permits that a limiter holds for them. */

import assert from "node:assert/strict";
import { request as plainRequest } from "node:http";
import type { Site } from "./site.ts";

/** The client of all requests in a test. */
export const KEY = "127.0.0.1";

export function used({ limiter }: Site): number {
  return limiter.inspect(KEY).results[0]?.used ?? 0;
}

/** Waits until a condition holds, and fails with a reason if it does not. */
export async function until(isSo: () => boolean, wrong: string): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!isSo()) {
    assert.ok(performance.now() < deadline, wrong);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Waits until this many hits count. */
export function untilUsed(site: Site, count: number): Promise<void> {
  return until(() => used(site) === count, `there are never ${count} hits that count`);
}

/** Sends a request, and aborts it once it has been counted. */
export async function giveUp(site: Site): Promise<void> {
  const before = used(site);
  const request = plainRequest(site.url, { agent: false });
  request.on("error", () => {}).end();
  await untilUsed(site, before + 1);
  request.destroy();
}
