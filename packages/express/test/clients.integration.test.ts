/**
 * Real clients, refused once: each waits as long as the response says, and is then allowed.
 */

import { RETRYING_CLIENTS, type RetryingClient } from "@tidegate/testkit/clients";
import type { RequestHandler } from "express";
import { describe, expect, it } from "vitest";
import { rateLimit } from "../src/index.ts";
import { withApp } from "./app.ts";

/** Longer than the default first wait of any of the clients. */
const WINDOW_MS = 2_000;
/** Timers may come early by a millisecond, at either end. */
const EARLY_MS = 5;
/** A busy machine may be late, but not by as much as a second wait. */
const LATE_MS = 1_500;

interface Try {
  readonly atMs: number;
  readonly status: number;
  readonly retryAfter: number;
}

/** Keeps what was answered, when the answer had been given. */
function listingInto(tries: Try[]): RequestHandler {
  return (_request, response, next) => {
    response.on("finish", () => {
      const retryAfter = Number(response.getHeader("Retry-After") ?? 0);
      tries.push({ atMs: performance.now(), status: response.statusCode, retryAfter });
    });
    next();
  };
}

/** Uses the window up, and then has the client come. */
async function triesOf({ get }: RetryingClient, preset: "parity" | "api"): Promise<Try[]> {
  const tries: Try[] = [];
  const limiter = rateLimit({ name: "clients", preset, windowMs: WINDOW_MS, limit: 1 });
  await withApp([listingInto(tries), limiter], async (app) => {
    expect((await app.get()).status).toBe(200);
    expect(await get(app.url)).toBe("admitted");
  });
  limiter.limiter?.close();
  return tries.slice(1);
}

const CASES = RETRYING_CLIENTS.flatMap((client) =>
  (["parity", "api"] as const).map((preset) => ({ ...client, client, preset })),
);

describe("a client that is refused", () => {
  it.concurrent.each(CASES)(
    "waits as long as Retry-After says and then gets through: $name, preset $preset",
    async ({ client, preset }) => {
      const [refused, admitted, ...more] = await triesOf(client, preset);
      expect(more).toEqual([]);
      expect(refused?.status).toBe(429);
      expect(admitted?.status).toBe(200);
      const toldMs = 1_000 * refused!.retryAfter;
      expect(toldMs).toBeGreaterThanOrEqual(1_000);
      const waitedMs = admitted!.atMs - refused!.atMs;
      expect(waitedMs).toBeGreaterThan(toldMs - EARLY_MS);
      expect(waitedMs).toBeLessThan(toldMs + LATE_MS);
    },
  );
});
