/**
 * What a process does that stands for one replica, as it agrees on it with the process that started
 * it: it gets ready, waits for the others, plays its part, and reports.
 */

import type { BurstParameters, BurstResult } from "./roles/burst.ts";
import type { CheckParameters, CheckResult } from "./roles/check.ts";
import type { CrowdParameters, CrowdResult } from "./roles/crowd.ts";
import type { HolderParameters, HolderResult } from "./roles/holder.ts";
import type { HotKeyParameters, HotKeyResult } from "./roles/hot-key.ts";
import type { NewcomerParameters, NewcomerResult } from "./roles/newcomer.ts";
import type { PropagationParameters, PropagationResult } from "./roles/propagation.ts";
import type { SteadyParameters, SteadyResult } from "./roles/steady.ts";

/** What each role is told, and what it finds out. */
export interface Roles {
  readonly burst: { readonly given: BurstParameters; readonly result: BurstResult };
  readonly check: { readonly given: CheckParameters; readonly result: CheckResult };
  readonly crowd: { readonly given: CrowdParameters; readonly result: CrowdResult };
  readonly holder: { readonly given: HolderParameters; readonly result: HolderResult };
  readonly hotKey: { readonly given: HotKeyParameters; readonly result: HotKeyResult };
  readonly newcomer: { readonly given: NewcomerParameters; readonly result: NewcomerResult };
  readonly propagation: {
    readonly given: PropagationParameters;
    readonly result: PropagationResult;
  };
  readonly steady: { readonly given: SteadyParameters; readonly result: SteadyResult };
}

export type RoleName = keyof Roles;

/** The other processes, as a role sees them. */
export interface Stage {
  /** Says that this one is ready; resolves when all are to go. */
  ready(): Promise<void>;
  /** Resolves when the parent ends it. */
  over(): Promise<void>;
}

export type Play<Name extends RoleName> = (
  given: Roles[Name]["given"],
  stage: Stage,
) => Promise<Roles[Name]["result"]>;

/** What the processes say to each other. */
export type Cue = "go" | "over";
export type Report = "ready" | { readonly result: unknown } | { readonly error: string };

const PLAYS: { readonly [Name in RoleName]: () => Promise<Play<Name>> } = {
  burst: async () => (await import("./roles/burst.ts")).outrun,
  check: async () => (await import("./roles/check.ts")).check,
  crowd: async () => (await import("./roles/crowd.ts")).hitManyKeys,
  holder: async () => (await import("./roles/holder.ts")).holdKeys,
  hotKey: async () => (await import("./roles/hot-key.ts")).hitHotKey,
  newcomer: async () => (await import("./roles/newcomer.ts")).comeLate,
  propagation: async () => (await import("./roles/propagation.ts")).tellAndHear,
  steady: async () => (await import("./roles/steady.ts")).hitSteadily,
};

/** Plays a role in this process. */
export async function play<Name extends RoleName>(
  name: Name,
  given: Roles[Name]["given"],
  stage: Stage,
): Promise<Roles[Name]["result"]> {
  const begin = await PLAYS[name]();
  return begin(given, stage);
}
