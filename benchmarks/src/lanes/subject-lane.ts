/**
 * One subject that is timed, and all it needs to run its share of every round: it holds every key,
 * draws the keys of a round for itself, and looks whether its answers were what they had to be.
 *
 * A subject that is to allow everything gets a limit that is never reached; one that is to refuse gets a
 * limit of one and has each key asked for once before.
 */

import { cpuUsage, hrtime } from "node:process";
import { collectGarbage, collectYoungGarbage } from "../measure/collector.ts";
import { distributionOf, type Spread } from "../measure/distribution.ts";
import { seededRandom, shuffled } from "../measure/random.ts";
import { Tape } from "../measure/tape.ts";
import { loadSubject, type SubjectName } from "../subjects/registry.ts";
import { limitFor, type Subject, type Verdict } from "../subjects/subject.ts";
import { RoundTapes } from "./round-tapes.ts";

export interface LaneParameters {
  readonly subject: SubjectName;
  /** What it has to answer to every request; absent where nothing answers. */
  readonly verdict?: Verdict;
  readonly keys: number;
  /** Requests that are timed in one round. */
  readonly requests: number;
  /** The workers beside another commit's packages, if the subject is to be of that commit. */
  readonly workers?: string | undefined;
  /** Whether a round is timed by the processor, which other programs influence less than the clock. */
  readonly byProcessor?: boolean;
}

const WARM_UP_ROUNDS = 2;
const SEED = 20;

export class SubjectLane {
  readonly #parameters: LaneParameters;
  readonly #subject: Subject;
  readonly #random = seededRandom(SEED);
  #tapes: RoundTapes | undefined;

  private constructor(parameters: LaneParameters, subject: Subject) {
    this.#parameters = parameters;
    this.#subject = subject;
  }

  /** A lane whose subject has been asked for every key once. */
  static async open(parameters: LaneParameters): Promise<SubjectLane> {
    const { subject: name, verdict = "allowed", keys } = parameters;
    const open = await loadSubject(name);
    const lane = new SubjectLane(
      parameters,
      open({ limit: limitFor(verdict), keysMax: keysMaxFor(keys) }),
    );
    await lane.#fill();
    return lane;
  }

  /** Runs some rounds of a spread for nothing; the rounds prepared afterwards are of that spread. */
  async warmUp(spread: Spread): Promise<void> {
    const { keys, requests } = this.#parameters;
    const distribution = distributionOf(spread, keys);
    const rehearsal = new RoundTapes(distribution, keys, requests, this.#random);
    for (let round = 0; round < WARM_UP_ROUNDS; round++) {
      rehearsal.draw();
      await this.#subject.run(rehearsal.timed);
    }
    this.#tapes = new RoundTapes(distribution, keys, requests, this.#random);
  }

  /** Draws the next round and collects all rubbish; returns the different keys of all rounds. */
  prepare(): number {
    const tapes = this.#warmTapes();
    tapes.draw();
    collectGarbage();
    return tapes.distinctKeys;
  }

  /** Runs the round prepared last and returns its nanoseconds per request. */
  async time(): Promise<number> {
    const { leadIn, timed } = this.#warmTapes();
    const now = this.#parameters.byProcessor === true ? processorNs : clockNs;
    collectYoungGarbage();
    await this.#subject.run(leadIn);
    const start = now();
    const outcome = this.#subject.run(timed);
    const allowed = typeof outcome === "number" ? outcome : await outcome;
    const nanoseconds = now() - start;
    this.#verifyAllowed(allowed, timed.length);
    return nanoseconds / timed.length;
  }

  async #fill(): Promise<void> {
    const { keys } = this.#parameters;
    const everyKey = new Tape(keys);
    for (const [position, key] of shuffled(keys, this.#random).entries()) {
      everyKey.record(position, key);
    }
    await this.#subject.run(everyKey);
    const held = this.#subject.keysHeld();
    if (held !== undefined && held !== keys) {
      throw new Error(`it holds ${held} keys, expected ${keys}`);
    }
  }

  #warmTapes(): RoundTapes {
    if (this.#tapes === undefined) throw new Error("a lane is warmed up before its rounds");
    return this.#tapes;
  }

  #verifyAllowed(allowed: number, requests: number): void {
    const { verdict } = this.#parameters;
    if (verdict !== undefined && allowed !== (verdict === "allowed" ? requests : 0)) {
      throw new Error(`it allowed ${allowed} of ${requests}, all were to be ${verdict}`);
    }
  }
}

function clockNs(): number {
  return Number(hrtime.bigint());
}

/** Of all threads of the process, with those of the collector. */
function processorNs(): number {
  const { user, system } = cpuUsage();
  return 1_000 * (user + system);
}

/** Room beyond the keys of the scenario, so that no subject is measured while evicting. */
function keysMaxFor(keys: number): number {
  return Math.max(1_000, keys * 2);
}
