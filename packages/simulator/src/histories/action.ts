/**
 * What happens in a history, one action after the other, as data. A history can so be replayed
 * without some of its actions, to find those that a failure needs.
 *
 * Each action has a number that it keeps. A process is known by the number of the action that added
 * it, and a hit by that of its action. An action about something that is not there does nothing.
 */

import type { ClockFaults } from "../virtual-clock.ts";
import type { Faults } from "./scenario.ts";

export type Deed =
  | { readonly type: "add"; readonly clock: ClockFaults }
  | { readonly type: "pass"; readonly ms: number }
  | { readonly type: "hit"; readonly by: number; readonly key: string; readonly cost: number }
  | { readonly type: "refund" | "release"; readonly hit: number }
  | { readonly type: "reset"; readonly by: number; readonly key: string }
  /** Closes the limiter, and creates it again after a while. */
  | { readonly type: "remake"; readonly by: number; readonly ms: number }
  | { readonly type: "crash" | "leave" | "suspend" | "resume"; readonly by: number }
  | { readonly type: "busy" | "connected"; readonly by: number; readonly is: boolean }
  | { readonly type: "jump" | "set wall"; readonly by: number; readonly ms: number }
  /** All frames from one process to another are lost from now on. */
  | { readonly type: "cut"; readonly from: number; readonly to: number }
  | { readonly type: "heal" };

export interface Action {
  readonly number: number;
  readonly deed: Deed;
}

/** What the source of actions looks at. */
export interface Scene {
  /** The processes that run. */
  readonly running: readonly number[];
  readonly suspended: readonly number[];
  /** Hits that were counted and can be given back. */
  readonly hits: readonly number[];
}

export const KEYS: readonly string[] = ["k1", "k2", "k3", "k4", "k5"];
const PROCESSES_MAX = 8;
const COST_MAX = 3;
const PASS_MS_MAX = 120;
const LONG_PASS_MS_MAX = 3_000;
const REMAKE_MS_MAX = 500;
const JUMP_MS_MAX = 3_000;

type Drawn = (scene: Scene) => Deed | undefined;

/** Draws the next action of a history, by what can go wrong in it. */
export class ActionSource {
  readonly #random: () => number;
  readonly #faults: Faults;
  readonly #weighted: readonly (readonly [weight: number, drawn: Drawn])[];

  /** @param isHeld whether permits are held and released, rather than hits counted */
  constructor(faults: Faults, isHeld: boolean, random: () => number) {
    this.#random = random;
    this.#faults = faults;
    const when = (is: boolean, weight: number): number => (is ? weight : 0);
    this.#weighted = [
      [30, ({ running }) => this.#hit(running)],
      [25, () => ({ type: "pass", ms: this.#below(PASS_MS_MAX) })],
      [4, () => ({ type: "pass", ms: this.#below(LONG_PASS_MS_MAX) })],
      [when(isHeld, 25), ({ hits }) => this.#back("release", hits)],
      [when(faults.refunds, 4), ({ hits }) => this.#back("refund", hits)],
      [
        when(faults.resets, 3),
        ({ running }) => ({ type: "reset", by: this.#of(running), key: this.#of(KEYS) }),
      ],
      [
        when(faults.cuts, 5),
        ({ running }) => ({ type: "cut", from: this.#of(running), to: this.#of(running) }),
      ],
      [when(faults.cuts, 3), () => ({ type: "heal" })],
      [when(faults.crashes, 2), ({ running }) => this.#end("crash", running)],
      [when(faults.leaves, 1), ({ running }) => this.#end("leave", running)],
      [when(faults.joins, 2), ({ running }) => this.#join(running)],
      [
        when(faults.remakes, 2),
        ({ running }) => ({
          type: "remake",
          by: this.#of(running),
          ms: this.#below(2) * this.#below(REMAKE_MS_MAX),
        }),
      ],
      [when(faults.disconnects, 2), ({ running }) => this.#connected(running)],
      [when(faults.suspends, 2), ({ running }) => ({ type: "suspend", by: this.#of(running) })],
      [
        when(faults.suspends, 4),
        ({ suspended }) =>
          suspended.length === 0 ? undefined : { type: "resume", by: this.#of(suspended) },
      ],
      [
        when(faults.clockJumps, 1),
        ({ running }) => ({ type: "jump", by: this.#of(running), ms: this.#below(JUMP_MS_MAX) }),
      ],
      [
        when(faults.wallSets, 1),
        ({ running }) => ({
          type: "set wall",
          by: this.#of(running),
          ms: Math.floor(this.#around(faults.clockMs)),
        }),
      ],
    ];
  }

  /** A process with a clock of its own. */
  add(): Deed {
    const { clockMs, drift } = this.#faults;
    const aheadMs = Math.floor(this.#around(clockMs));
    return { type: "add", clock: { aheadMs, drift: this.#around(drift) } };
  }

  next(scene: Scene): Deed {
    const { busy } = this.#faults;
    if (this.#random() < busy) {
      return { type: "busy", by: this.#of(scene.running), is: this.#random() < 0.5 };
    }
    for (;;) {
      const deed = this.#drawn()(scene);
      if (deed !== undefined) return deed;
    }
  }

  #drawn(): Drawn {
    const sum = this.#weighted.reduce((total, [weight]) => total + weight, 0);
    let dice = this.#random() * sum;
    for (const [weight, drawn] of this.#weighted) {
      dice -= weight;
      if (dice < 0) return drawn;
    }
    return this.#weighted[0]![1];
  }

  #hit(running: readonly number[]): Deed {
    const cost = 1 + this.#below(COST_MAX);
    return { type: "hit", by: this.#of(running), key: this.#of(KEYS), cost };
  }

  #back(type: "refund" | "release", hits: readonly number[]): Deed | undefined {
    return hits.length === 0 ? undefined : { type, hit: this.#of(hits) };
  }

  #end(type: "crash" | "leave", running: readonly number[]): Deed | undefined {
    return running.length < 2 ? undefined : { type, by: this.#of(running) };
  }

  #join(running: readonly number[]): Deed | undefined {
    return running.length < PROCESSES_MAX ? this.add() : undefined;
  }

  #connected(running: readonly number[]): Deed {
    return { type: "connected", by: this.#of(running), is: this.#random() < 0.6 };
  }

  #of<Item>(items: readonly Item[]): Item {
    return items[this.#below(items.length)]!;
  }

  #below(end: number): number {
    return Math.floor(this.#random() * end);
  }

  #around(most: number): number {
    return (this.#random() * 2 - 1) * most;
  }
}

/** An action in a line. */
export function describeAction({ number, deed }: Action): string {
  const { type, ...rest } = deed;
  const parts = Object.entries(rest).map(([name, value]) =>
    typeof value === "object" ? JSON.stringify(value) : `${name} ${value}`,
  );
  return `${number}: ${[type, ...parts].join(", ")}`;
}
