/**
 * The longest that a single check takes while a limiter fills with keys.
 *
 * Tables grow, and one that copies itself in the middle of a request stops the server for that
 * long. Now and then the loop lets the process turn, as a server does, so that work put off to a
 * timer is seen too. On a shared machine a check may also be held up by other processes, so this is
 * run more than once: a table grows every time, a neighbour does not.
 */

import { performance } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import { fixedWindow } from "@tidegate/core";
import { collectGarbage } from "../measure/collector.ts";
import { Tape } from "../measure/tape.ts";
import { WINDOW_MS } from "../subjects/subject.ts";
import { openLimiter } from "../subjects/tidegate.ts";

export interface FillingParameters {
  readonly keys: number;
}

export interface FillingRecord {
  readonly kind: "filling";
  readonly keys: number;
  /** The longest checks, longest first. */
  readonly longest: readonly { readonly ms: number; readonly key: number }[];
  /** The longest time between one check and the next, when timers had their turn. */
  readonly longestTurnMs: number;
  readonly totalMs: number;
}

const CHECKS_PER_TURN = 1_000;
const LONGEST_KEPT = 5;
const NOTEWORTHY_MS = 0.5;

export async function measureFilling({ keys }: FillingParameters): Promise<FillingRecord[]> {
  const limiter = openLimiter(
    fixedWindow({ limit: 1_000_000_000, windowMs: WINDOW_MS }),
    Math.ceil(keys * 1.2),
  );
  const tape = new Tape(CHECKS_PER_TURN);
  const slow: { ms: number; key: number }[] = [];
  let longestTurnMs = 0;
  let allowed = 0;
  collectGarbage();

  const start = performance.now();
  for (let first = 0; first < keys; first += CHECKS_PER_TURN) {
    for (let position = 0; position < CHECKS_PER_TURN; position++) {
      tape.record(position, first + position);
    }
    for (let position = 0; position < CHECKS_PER_TURN; position++) {
      const key = tape.key(position);
      const before = performance.now();
      if (limiter.check(key).allowed) allowed++;
      const ms = performance.now() - before;
      if (ms > NOTEWORTHY_MS) slow.push({ ms, key: first + position });
    }
    const before = performance.now();
    await setImmediate();
    longestTurnMs = Math.max(longestTurnMs, performance.now() - before);
  }
  const totalMs = performance.now() - start;
  limiter.close();

  if (allowed !== keys) throw new Error(`only ${allowed} of ${keys} were allowed`);
  slow.sort((left, right) => right.ms - left.ms);
  return [{ kind: "filling", keys, longest: slow.slice(0, LONGEST_KEPT), longestTurnMs, totalMs }];
}
