/**
 * Runs every order of events of a small history, within a bound, on the replicas that ship.
 *
 * The search is stateless: each schedule is run from the beginning, since a replica cannot be
 * copied. It goes depth first, and turns back where a state was reached before with as much left to
 * do. So of the orders that lead to one state only one is continued.
 */

import { nameOf, type SmallFleet, type Step, type Travelling } from "./small-fleet.ts";

export { SmallFleet, type Travelling } from "./small-fleet.ts";

/** Deadlines further away than this are not ticked. */
const HORIZON_MS = 2_500;

/** How much of what a schedule may have. */
export interface Bound {
  /** Steps, operations included. */
  readonly steps: number;
  /**
   * How often a schedule may leave the usual order. In it, frames arrive in the order in which they
   * were sent, then work goes on. Then the next operation is done, and its replica's deadline comes.
   */
  readonly deviations: number;
  readonly ticks: number;
  /** How many of the faults below, in all. */
  readonly faults: number;
  /** Turns that end before their work is done. */
  readonly cuts?: number;
}

export type FaultType = "lose" | "repeat" | "cut" | "crash" | "busy";

/** One run of a history, from its beginning. */
export interface Run {
  readonly fleet: SmallFleet;
  /** How many operations each replica has to do. */
  readonly programs: readonly number[];
  operate(at: number): void;
  /** Throws when a replica sees what it may not see. */
  check(): void;
  /** Ends all faults, and throws unless all replicas agree on what is true. */
  settle(): void;
  /** Everything of a replica that can change what it does later. */
  hashOf(at: number): string;
  /** The same of a frame on its way. */
  hashOfFrame(travelling: Travelling): string;
}

export interface Exploration {
  readonly begin: () => Run;
  readonly faults: readonly FaultType[];
  readonly bound: Bound;
  /** After so many schedules it ends early. */
  readonly schedulesMax?: number | undefined;
  /** One schedule only, as a failure has printed it. */
  readonly only?: string | undefined;
}

export interface Explored {
  /** Schedules that were run to their end, and those that met a state from before. */
  readonly schedules: number;
  readonly met: number;
  /** Different states. */
  readonly states: number;
  readonly steps: number;
  /** Whether there is no other schedule within the bound. */
  readonly isWhole: boolean;
}

/** A schedule in which a check failed. */
export class FailingSchedule extends Error {
  readonly schedule: string;

  constructor(schedule: string, steps: readonly string[], after: number, cause: Error) {
    const list = steps.map((step, at) => `  ${at + 1}. ${step}`).join("\n");
    super(
      `${cause.message}\n\nafter ${after} schedules, in this one:\n${list}\nschedule: ${schedule}`,
    );
    this.name = "AssertionError";
    this.schedule = schedule;
  }
}

interface Branch {
  readonly choices: readonly Step[];
  at: number;
}

interface Left {
  deviations: number;
  ticks: number;
  faults: number;
  cuts: number;
}

export function explore(exploration: Exploration): Explored {
  const { schedulesMax = Number.POSITIVE_INFINITY, only } = exploration;
  const search = new Search(exploration);
  if (only !== undefined) {
    search.replay(only);
    return search.explored(false);
  }
  do {
    search.run();
    if (search.runs >= schedulesMax) return search.explored(false);
  } while (search.back());
  return search.explored(true);
}

class Search {
  runs = 0;
  readonly #exploration: Exploration;
  /** The choices of the present schedule. */
  #path: Branch[] = [];
  /** States that were reached, and how many steps were left. */
  readonly #reached = new Map<string, number>();
  #met = 0;
  #steps = 0;

  constructor(exploration: Exploration) {
    this.#exploration = exploration;
  }

  explored(isWhole: boolean): Explored {
    const { size: states } = this.#reached;
    const schedules = this.runs - this.#met;
    return { schedules, met: this.#met, states, steps: this.#steps, isWhole };
  }

  /** Takes the next choice; false if there is none. */
  back(): boolean {
    for (let branch = this.#path.at(-1); branch !== undefined; branch = this.#path.at(-1)) {
      if (++branch.at < branch.choices.length) return true;
      this.#path.pop();
    }
    return false;
  }

  /** Runs the present choices again, and then the first one of each step. */
  run(): void {
    this.runs++;
    const schedule = new Schedule(this.#exploration);
    const fresh = this.#path.length - 1;
    for (const [at, { choices, at: choice }] of this.#path.entries()) {
      this.#take(schedule, choices[choice]!, at >= fresh, choice > 0);
    }
    for (;;) {
      const left = this.#exploration.bound.steps - schedule.taken.length;
      if (schedule.taken.length > 0 && !this.#isNew(schedule.key(), left)) {
        this.#met++;
        return;
      }
      const choices = left > 0 ? schedule.choices() : [];
      if (choices.length === 0) break;
      this.#path.push({ choices, at: 0 });
      this.#take(schedule, choices[0]!, true, false);
    }
    this.#guard(schedule, () => schedule.run.settle());
  }

  replay(only: string): void {
    this.runs++;
    const schedule = new Schedule(this.#exploration);
    for (const word of only.trim().split(/\s+/)) this.#take(schedule, stepOf(word), true, false);
    this.#guard(schedule, () => schedule.run.settle());
  }

  #isNew(key: string, left: number): boolean {
    const before = this.#reached.get(key);
    if (before !== undefined && before >= left) return false;
    this.#reached.set(key, left);
    return true;
  }

  #take(schedule: Schedule, step: Step, isChecked: boolean, isDeviation: boolean): void {
    this.#steps++;
    this.#guard(schedule, () => schedule.take(step, isChecked, isDeviation));
  }

  #guard(schedule: Schedule, act: () => void): void {
    try {
      act();
    } catch (error) {
      const words = schedule.taken.map(wordOf).join(" ");
      throw new FailingSchedule(words, schedule.described, this.runs, error as Error);
    }
  }
}

/** One schedule as it is run. */
class Schedule {
  readonly run: Run;
  readonly taken: Step[] = [];
  readonly described: string[] = [];
  readonly #left: Left;
  readonly #faults: readonly FaultType[];
  /** The hash of each replica; undefined once something has happened to it. */
  readonly #hashes: (string | undefined)[];

  constructor({ begin, bound, faults }: Exploration) {
    this.run = begin();
    const { deviations, ticks, faults: most, cuts = 0 } = bound;
    this.#left = { deviations, ticks, faults: most, cuts };
    this.#faults = faults;
    this.#hashes = this.run.fleet.members.map(() => undefined);
  }

  take(step: Step, isChecked: boolean, isDeviation: boolean): void {
    const { fleet } = this.run;
    if (isDeviation) this.#left.deviations--;
    this.described.push(this.#describe(step));
    this.taken.push(step);
    if (step.type === "tick") this.#left.ticks--;
    else if (this.#faults.some((fault) => fault === step.type)) this.#left.faults--;
    if ("isCut" in step && step.isCut === true) this.#left.cuts--;
    this.#forgetHashes(step);
    fleet.take(step, (at) => this.run.operate(at));
    if (isChecked) this.run.check();
  }

  /** Everything that can change what comes later. */
  key(): string {
    const { fleet } = this.run;
    const { deviations, ticks, faults, cuts } = this.#left;
    const replicas = fleet.members.map(({ isOver, isBusy, done }, at) => {
      if (isOver) return "over";
      this.#hashes[at] ??= this.run.hashOf(at);
      return `${this.#hashes[at]}${isBusy ? "busy" : ""}${done}`;
    });
    // Their order is the usual one.
    const frames = fleet.travelling.map((each) => `${this.run.hashOfFrame(each)}${each.delay}`);
    if (deviations === Number.POSITIVE_INFINITY) frames.sort();
    return [deviations, ticks, faults, cuts, ...replicas, ...frames, "cut", ...fleet.cuts].join(
      " ",
    );
  }

  /** What may happen next, the usual step first. */
  choices(): Step[] {
    const { fleet, programs } = this.run;
    const { deviations, ticks, faults, cuts } = this.#left;
    const usual = this.#usual();
    if (usual === undefined || deviations === 0) return usual === undefined ? [] : [usual];
    const steps: Step[] = [];
    const cuttable: Step[] = [];
    const seen = new Set<string>();
    for (const [frame, travelling] of fleet.travelling.entries()) {
      const hash = this.run.hashOfFrame(travelling);
      if (seen.has(hash)) continue;
      seen.add(hash);
      cuttable.push({ type: "deliver", frame });
      if (travelling.delay === 0) steps.push({ type: "delay", frame });
      if (faults === 0) continue;
      if (this.#faults.includes("lose")) steps.push({ type: "lose", frame });
      if (this.#faults.includes("repeat")) steps.push({ type: "repeat", frame });
    }
    for (const at of fleet.alive) {
      const { stepped, done, isBusy } = fleet.members[at]!;
      if (done < programs[at]!) cuttable.push({ type: "operation", at });
      if (ticks > 0 && stepped.deadline() <= fleet.nowMs + HORIZON_MS)
        cuttable.push({ type: "tick", at });
      if (stepped.hasWork) steps.push({ type: "slice", at });
      if (isBusy) steps.push({ type: "free", at });
      if (faults > 0) this.#addFaults(steps, at);
    }
    if (cuts > 0) for (const step of cuttable) steps.push({ ...step, isCut: true } as Step);
    const word = wordOf(usual);
    return [usual, ...cuttable, ...steps].filter((step, at) => at === 0 || wordOf(step) !== word);
  }

  /** The next step of the usual order; undefined when nothing is left to do. */
  #usual(): Step | undefined {
    const { fleet, programs } = this.run;
    const { alive, members, travelling } = fleet;
    const frame = travelling.findIndex(({ delay }) => delay === 0);
    if (frame >= 0) return { type: "deliver", frame };
    const working = alive.find((at) => members[at]!.stepped.hasWork);
    if (working !== undefined) return { type: "slice", at: working };
    const last = this.taken.at(-1);
    if (this.#left.ticks > 0 && last?.type === "operation" && alive.includes(last.at))
      return { type: "tick", at: last.at };
    const [at] = alive
      .filter((each) => members[each]!.done < programs[each]!)
      .sort((left, right) => members[left]!.done - members[right]!.done);
    if (at !== undefined) return { type: "operation", at };
    if (this.#left.ticks === 0) return undefined;
    const [first] = alive
      .filter((each) => !members[each]!.isBusy)
      .sort(
        (left, right) => members[left]!.stepped.deadline() - members[right]!.stepped.deadline(),
      );
    return first === undefined ? undefined : { type: "tick", at: first };
  }

  #addFaults(steps: Step[], at: number): void {
    const { fleet } = this.run;
    const has = (fault: FaultType): boolean => this.#faults.includes(fault);
    if (has("busy") && !fleet.members[at]!.isBusy) steps.push({ type: "busy", at });
    if (has("crash") && fleet.alive.length > 1) steps.push({ type: "crash", at });
    if (!has("cut")) return;
    for (const to of fleet.alive) {
      if (to !== at && !fleet.cuts.has(`${at}>${to}`)) steps.push({ type: "cut", at, to });
    }
  }

  #forgetHashes(step: Step): void {
    // Time has passed for all, or may have.
    if (step.type === "tick" || step.type === "operation") this.#hashes.fill(undefined);
    else if ("at" in step) this.#hashes[step.at] = undefined;
    else this.#hashes[this.run.fleet.travelling[step.frame]!.to] = undefined;
  }

  #describe(step: Step): string {
    const cut = "isCut" in step && step.isCut === true ? ", and no slice of work" : "";
    if ("frame" in step) {
      const { frame, from, to } = this.run.fleet.travelling[step.frame]!;
      const what = `a frame of ${frame.length} bytes from ${nameOf(from)} to ${nameOf(to)}`;
      return `${step.type} ${what}${cut}`;
    }
    const to = step.type === "cut" ? ` from ${nameOf(step.to)}` : "";
    return `${step.type} ${nameOf(step.at)}${to}${cut}`;
  }
}

// ── A schedule as a line of text ─────────────────────────────────────────────────────────────────

const LETTERS = {
  ...{ operation: "o", tick: "t", slice: "s", deliver: "d", repeat: "r", lose: "l", delay: "w" },
  ...{ cut: "p", crash: "x", busy: "b", free: "f" },
} as const;

function wordOf(step: Step): string {
  const at = "frame" in step ? step.frame : step.at;
  const to = step.type === "cut" ? `>${step.to}` : "";
  return `${LETTERS[step.type]}${at}${to}${"isCut" in step && step.isCut === true ? "-" : ""}`;
}

function stepOf(word: string): Step {
  const [, letter, number, to, cut] = /^(\w)(\d+)(?:>(\d+))?(-?)$/.exec(word) ?? [];
  const type = Object.entries(LETTERS).find(([, each]) => each === letter)?.[0] as Step["type"];
  if (type === undefined) throw new Error(`no step is written ${word}`);
  const step = ["deliver", "repeat", "lose", "delay"].includes(type)
    ? { type, frame: Number(number) }
    : { type, at: Number(number), ...(to !== undefined && { to: Number(to) }) };
  return { ...step, ...(cut === "-" && { isCut: true }) } as Step;
}
