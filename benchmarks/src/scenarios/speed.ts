/**
 * How long a check takes, for all subjects side by side in one process.
 *
 * A subject that is to allow everything gets a limit nobody reaches; one that is to refuse gets a
 * limit of one and has each key asked for once before. Both answers are verified, as is the number
 * of different keys that the requests touched, so no figure can come from a scenario gone wrong.
 */

import { type Distribution, uniform, zipf } from "../distribution.ts";
import { seededRandom, shuffled } from "../random.ts";
import { type Lane, timeRounds } from "../rounds.ts";
import { type Summary, summarize } from "../statistics.ts";
import { KEY_MAKING, loadSubject, type SubjectName } from "../subjects/registry.ts";
import type { Subject } from "../subjects/subject.ts";
import { Tape } from "../tape.ts";

export type Spread = "uniform" | "zipf";
export type Verdict = "allowed" | "refused";

export interface SpeedParameters {
  readonly subjects: readonly SubjectName[];
  readonly keys: number;
  readonly spreads: readonly Spread[];
  readonly verdicts: readonly Verdict[];
  /** Requests of one subject in one round. */
  readonly requests: number;
  readonly rounds: number;
}

/** What one subject needed per check. */
export interface SpeedRecord {
  readonly kind: "speed";
  readonly subject: SubjectName;
  readonly keys: number;
  readonly spread: Spread;
  readonly verdict: Verdict;
  /** Different keys touched while measuring. */
  readonly distinctKeys: number;
  readonly requests: number;
  readonly rounds: number;
  /** Nanoseconds per check, making the key included. */
  readonly raw: Summary;
  /** Nanoseconds for making the key. */
  readonly keyNs: number;
  /** The median without making the key. */
  readonly netNs: number;
}

const LIMIT_NEVER_REACHED = 1_000_000_000;
const ZIPF_EXPONENT = 1;
const WARM_UP_ROUNDS = 2;
const LEAD_IN_SHARE = 0.25;
const DISTINCT_TOLERANCE = 0.02;
const SEED = 20;

interface SubjectLane extends Lane {
  readonly name: SubjectName;
  readonly verdict: Verdict | undefined;
  readonly subject: Subject;
}

/** Fills every subject with all keys, warms it up and measures it under each spread. */
export async function measureSpeed(
  parameters: SpeedParameters,
  progress: (activity: string) => void,
): Promise<SpeedRecord[]> {
  const { keys, requests, rounds } = parameters;
  const lanes = await openLanes(parameters);
  const random = seededRandom(SEED);

  const everyKey = tapeOf(shuffled(keys, random));
  for (const lane of lanes) {
    progress(`filling ${lane.name} with ${keys} keys`);
    await lane.subject.run(everyKey);
    const held = lane.subject.keysHeld();
    if (held !== undefined && held !== keys) {
      throw new Error(`${lane.name} holds ${held} keys, expected ${keys}`);
    }
  }

  const records: SpeedRecord[] = [];
  for (const spread of parameters.spreads) {
    const distribution =
      spread === "uniform" ? uniform(keys, random) : zipf(keys, ZIPF_EXPONENT, random);
    const leadIn = new Tape(Math.ceil(requests * LEAD_IN_SHARE));
    const tape = new Tape(requests);
    for (let round = 0; round < WARM_UP_ROUNDS; round++) {
      recordDraws(tape, distribution);
      for (const lane of lanes) await lane.run(tape);
    }

    const touched = new Uint8Array(keys);
    const samples = await timeRounds(lanes, rounds, (round) => {
      progress(`${spread}, round ${round + 1} of ${rounds}`);
      recordDraws(leadIn, distribution);
      recordDraws(tape, distribution, touched);
      return { leadIn, tape };
    });
    const distinctKeys = touched.reduce((sum, once) => sum + once, 0);
    verifyDistinct(distinctKeys, distribution.expectedDistinct(requests * rounds));

    const keyNs = summarize(samples[lanes.findIndex(({ name }) => name === KEY_MAKING)]!).median;
    for (const [position, { name, verdict }] of lanes.entries()) {
      if (verdict === undefined) continue;
      const raw = summarize(samples[position]!);
      const netNs = raw.median - keyNs;
      const shape = { keys, spread, verdict, distinctKeys, requests, rounds };
      records.push({ kind: "speed", subject: name, ...shape, raw, keyNs, netNs });
    }
  }
  for (const { subject } of lanes) subject.close();
  return records;
}

async function openLanes({ subjects, verdicts, keys }: SpeedParameters): Promise<SubjectLane[]> {
  const lanes: SubjectLane[] = [];
  const open = async (name: SubjectName, verdict: Verdict | undefined): Promise<void> => {
    const limit = verdict === "refused" ? 1 : LIMIT_NEVER_REACHED;
    const options = { limit, keysMax: keysMaxFor(keys) };
    const subject = (await loadSubject(name))(options);
    lanes.push({
      name,
      verdict,
      subject,
      run: (tape) => subject.run(tape),
      expectedAllowed: (tape) => expectedAllowed(tape, verdict),
    });
  };
  for (const verdict of verdicts) for (const name of subjects) await open(name, verdict);
  await open(KEY_MAKING, undefined);
  return lanes;
}

/** Room beyond the keys of the scenario, so that nobody is measured while evicting. */
function keysMaxFor(keys: number): number {
  return Math.max(1_000, keys * 2);
}

function expectedAllowed(tape: Tape, verdict: Verdict | undefined): number | undefined {
  if (verdict === undefined) return undefined;
  return verdict === "allowed" ? tape.length : 0;
}

function tapeOf(keys: Uint32Array): Tape {
  const tape = new Tape(keys.length);
  for (const [position, key] of keys.entries()) tape.record(position, key);
  return tape;
}

/** Draws a key for every request of the tape and notes in `touched` that it was asked for. */
function recordDraws(tape: Tape, distribution: Distribution, touched?: Uint8Array): void {
  for (let position = 0; position < tape.length; position++) {
    const key = distribution.draw();
    tape.record(position, key);
    if (touched !== undefined) touched[key] = 1;
  }
}

function verifyDistinct(found: number, expected: number): void {
  if (Math.abs(found - expected) > expected * DISTINCT_TOLERANCE) {
    throw new Error(
      `the requests touched ${found} different keys, expected about ${Math.round(expected)}`,
    );
  }
}
