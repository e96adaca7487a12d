/**
 * Runs one history with its checks, and makes one that fails short: without the actions and faults
 * that its failure does not need.
 */

import { type Action, describeAction } from "./action.ts";
import { type Check, checksOf, promisesOf } from "./checks.ts";
import { History, type HistoryOptions, type Tally } from "./history.ts";
import type { Faults } from "./scenario.ts";

export interface HistoryResult {
  readonly actions: readonly Action[];
  readonly faults: Faults;
  readonly tally: Tally;
  /** The check that failed, if one did, and what it found. */
  readonly failure: { readonly check: string; readonly found: string } | undefined;
}

/** What a check found, on its way out of a history. */
class Found extends Error {
  readonly check: string;

  constructor(check: string, found: string) {
    super(found);
    this.check = check;
  }
}

/** More checks than every history has, made for one. */
export type MoreChecks = (history: History) => readonly Check[];

/** What goes wrong in the shortest history, without a fault. */
const WITHOUT: Partial<{ [Name in keyof Faults]: Faults[Name] }> = {
  ...{ loss: 0, duplicate: 0, delayMs: 0, hasTail: false, maxPayload: undefined },
  ...{ cutTurns: 0, pauseMs: 0, sliceMs: 0 },
};

/** @param isWhole whether to look at the promises, too, which hold in the end */
export function runHistory(
  options: HistoryOptions,
  more: MoreChecks = () => [],
  isWhole = true,
): HistoryResult {
  const history = new History(options);
  let failure: HistoryResult["failure"];
  try {
    lookAt(history, [...checksOf(history), ...more(history)]);
    history.run();
    const { actions } = history;
    const done = Array.from(actions);
    try {
      for (const promise of isWhole ? promisesOf(history) : []) expectOf(promise, history);
    } finally {
      actions.splice(0, actions.length, ...done);
    }
  } catch (error) {
    failure = failureOf(error);
  }
  const { actions, faults } = history;
  return { actions, faults, tally: history.tally(), failure };
}

/**
 * The shortest history that fails by the same check, as far as it is found while there is time.
 *
 * @param hasTime whether to go on
 */
export function shrinkHistory(
  options: HistoryOptions,
  failed: HistoryResult,
  hasTime: () => boolean,
  more?: MoreChecks,
): HistoryResult {
  let best = failed;
  // A history that fails while it happens need not be followed to its end.
  const isWhole = runHistory({ ...options, ...failed }, more, false).failure === undefined;
  const tryWith = (change: Partial<Pick<HistoryResult, "actions" | "faults">>): boolean => {
    const { actions, faults } = { ...best, ...change };
    const result = runHistory({ ...options, actions, faults }, more, isWhole);
    if (result.failure?.check !== failed.failure?.check) return false;
    best = result;
    return true;
  };
  for (const [name, without] of Object.entries(WITHOUT)) {
    if (hasTime() && best.faults[name as keyof Faults] !== without) {
      tryWith({ faults: { ...best.faults, [name]: without } });
    }
  }
  for (let size = best.actions.length >> 1; size > 0; size >>= 1) {
    for (let from = best.actions.length - size; from > -size && hasTime(); from -= size) {
      const start = Math.max(0, from);
      tryWith({ actions: best.actions.toSpliced(start, size) });
    }
  }
  return best;
}

/** The history in lines, for a reader who looks for what is wrong. */
export function describeHistory({ actions, faults, failure }: HistoryResult): string {
  const present = Object.entries(faults).filter(([, is]) => is !== 0 && is !== false && is != null);
  return [
    `${failure?.check}: ${failure?.found}`,
    `  with ${present.map(([name, is]) => (is === true ? name : `${name} ${is}`)).join(", ")}`,
    ...actions.map((action) => `  ${describeAction(action)}`),
  ].join("\n");
}

function lookAt(history: History, checks: readonly Check[]): void {
  history.look = () => {
    for (const check of checks) expectOf(check, history);
  };
}

function expectOf(check: Check, history: History): void {
  const found = check.look(history);
  if (found !== undefined) throw new Found(check.name, found);
}

function failureOf(error: unknown): { check: string; found: string } {
  if (error instanceof Found) return { check: error.check, found: error.message };
  const { stack } = error as Error;
  return { check: "nothing throws", found: stack ?? String(error) };
}
