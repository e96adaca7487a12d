/**
 * Both packages, side by side: the same application and requests with each of them.
 */

import express, { type Express } from "express";
import * as theirPackage from "express-rate-limit";
import { expect, vi } from "vitest";
import type { RateLimitOptions } from "../../src/index.ts";
import * as ourPackage from "../../src/index.ts";
import type { Answer } from "../app.ts";
import { ask } from "./both.ts";
import { differencesOf, ROWS } from "./differences.ts";
import type { ScenarioRequest } from "./scenario.ts";

export type Package = Pick<typeof ourPackage, "MemoryStore" | "ipKeyGenerator"> & {
  rateLimit(options?: RateLimitOptions): ReturnType<typeof ourPackage.rateLimit>;
};

export const BOTH = [theirPackage, ourPackage] as unknown as readonly [Package, Package];

const REQUEST: ScenarioRequest = {
  ...{ method: "GET", status: 200, user: "ada", from: "192.0.2.1" },
  ...{ isSkipped: false, isPreflight: false, afterMs: 0, stored: [1, null] },
};

/** The rows that hold of every response. */
const EVERYWHERE = ["no-store", "partition-key", "date"];

/** One application, and what its functions note when they are called. */
export interface Scene {
  readonly options:
    | RateLimitOptions
    | ((each: Package, note: (text: string) => void) => RateLimitOptions);
  readonly requests: readonly Partial<ScenarioRequest>[];
  readonly around?: (app: Express, limiter: ReturnType<Package["rateLimit"]>) => unknown;
}

/** What came of a scene: the answers, and what was noted. */
export interface Outcome {
  readonly answers: readonly Answer[];
  readonly notes: readonly string[];
}

/** A scene with both packages, one after the other; each begins at the same time if timers are fake. */
export async function play(scene: Scene): Promise<readonly [theirs: Outcome, ours: Outcome]> {
  const [theirs, ours] = BOTH;
  const start = Date.now();
  const their = await playWith(theirs, scene);
  if (vi.isFakeTimers()) vi.setSystemTime(start);
  return [their, await playWith(ours, scene)];
}

async function playWith(each: Package, scene: Scene): Promise<Outcome> {
  const { options, requests, around = (app, limiter) => app.use(limiter) } = scene;
  const app = express().set("env", "test").set("trust proxy", "loopback");
  const notes: string[] = [];
  const given = typeof options === "function" ? options(each, (text) => notes.push(text)) : options;
  around(app, each.rateLimit({ validate: false, ...given }));
  app.use((request, response) => {
    response.status(Number(request.get("x-status")));
    response.json(Reflect.get(request, given.requestPropertyName ?? "rateLimit") ?? null);
  });
  const answers: Answer[] = [];
  for (const request of requests) {
    if (request.afterMs !== undefined) vi.advanceTimersByTime(request.afterMs);
    answers.push(await ask(app, { ...REQUEST, ...request }));
  }
  return { answers, notes };
}

/** Fails where a package's answers or notes are not those of the other; what differs everywhere may. */
export async function expectSame(scene: Scene): Promise<Outcome> {
  const [theirs, ours] = await play(scene);
  const rows = ROWS.filter(({ id }) => EVERYWHERE.includes(id));
  const found = theirs.answers.flatMap((their, at) => {
    const request = { ...REQUEST, ...scene.requests[at] };
    const pair = { request, theirs: their, ours: ours.answers[at]! };
    const context = { ...pair, scenario: {} as never };
    return differencesOf(pair).filter(
      (difference) => !rows.some((row) => row.explains(difference, context)),
    );
  });
  expect(found).toEqual([]);
  expect(ours.notes).toEqual(theirs.notes);
  return ours;
}
