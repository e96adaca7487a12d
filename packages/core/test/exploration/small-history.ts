/**
 * A small history: what each replica of a small fleet does, what each may see at any time, and what
 * all must see in the end.
 */

import { concurrency, createLimiter, type Decision, fixedWindow } from "@tidegate/core";
import { type Run, SmallFleet, type Travelling } from "@tidegate/simulator/exploration";
import { SteppedReplica } from "../../src/cluster/stepped-cluster.ts";
import { FRAME_BYTES_MIN } from "../../src/transport/transport.ts";
import { frameText, hashOf, stateText } from "./state-hash.ts";

/** What a replica does: with a key, or with its limiter. */
export type Operation =
  | { readonly type: "hit" | "refund" | "release" | "reset"; readonly key: string }
  | { readonly type: "remake" }
  /** All replicas go on for so long, in the usual order. */
  | { readonly type: "rest"; readonly ms: number };

export interface SmallHistory {
  readonly policy: "window" | "permits";
  /** What each replica does, in this order. */
  readonly programs: readonly (readonly Operation[])[];
  readonly flushMs?: number;
  /** How long all keep exchanging frames before the history begins. */
  readonly warmMs?: number;
  /** How long it may take until all agree, if that depends on noticing who is silent. */
  readonly settleMs?: number;
}

const LIMIT = 10;
/** After so long without faults all replicas must agree: some heartbeats and repairs. */
const SETTLE_MS = 3_500;
const POLICIES = {
  window: fixedWindow({ limit: LIMIT, windowMs: 3_600_000 }),
  permits: concurrency({ limit: LIMIT }),
};

export const hit = (key = "k"): Operation => ({ type: "hit", key });
export const refund = (key = "k"): Operation => ({ type: "refund", key });
export const release = (key = "k"): Operation => ({ type: "release", key });
export const reset = (key = "k"): Operation => ({ type: "reset", key });
export const remake: Operation = { type: "remake" };
export const rest = (ms = 1_500): Operation => ({ type: "rest", ms });

/** What one replica has counted for a key: hits that are not refunded, and the most there ever were. */
interface Counted {
  net: number;
  most: number;
}

export function beginHistory(history: SmallHistory): Run {
  return new HistoryRun(history);
}

class HistoryRun implements Run {
  readonly fleet: SmallFleet;
  readonly programs: readonly number[];
  readonly #history: SmallHistory;
  readonly #keys: readonly string[];
  /** By key, and by replica. */
  readonly #counted = new Map<string, Counted[]>();
  readonly #decisions = new Map<string, Decision>();
  /** What each replica saw last, by key, if it may only see more. */
  readonly #seen: Map<string, number>[];
  readonly #mayFall: boolean;
  readonly #hasResets: boolean;

  constructor(history: SmallHistory) {
    const { policy, programs, flushMs, warmMs = 1_000 } = history;
    this.#history = history;
    this.programs = programs.map(({ length }) => length);
    this.fleet = new SmallFleet({
      replicas: programs.length,
      makeLimiter: ({ cluster }) =>
        createLimiter({ name: "api", policy: POLICIES[policy], cluster }),
      step: (options) => new SteppedReplica(options),
      ...(flushMs !== undefined && { flushMs }),
      ...(process.env["TIDEGATE_NARROWED"] === "1" && { maxPayload: FRAME_BYTES_MIN }),
    });
    this.fleet.settle(warmMs);
    const operations = programs.flat();
    const keyed = operations.flatMap((each) => ("key" in each ? [each.key] : []));
    this.#keys = [...new Set(keyed)];
    for (const key of this.#keys)
      this.#counted.set(
        key,
        programs.map(() => ({ net: 0, most: 0 })),
      );
    this.#seen = programs.map(() => new Map());
    this.#hasResets = operations.some(({ type }) => type === "reset");
    // A permit ends with its release, and with its replica.
    this.#mayFall =
      policy === "permits" ||
      operations.some(({ type }) => !["hit", "remake", "rest"].includes(type));
  }

  operate(at: number): void {
    const member = this.fleet.members[at]!;
    const operation = this.#history.programs[at]![member.done - 1]!;
    const { limiter } = member;
    if (operation.type === "rest") {
      this.fleet.settle(operation.ms);
      return;
    }
    if (operation.type === "remake") {
      limiter.close();
      const { cluster } = member.stepped;
      const policy = POLICIES[this.#history.policy];
      member.limiter = createLimiter({ name: "api", policy, cluster });
      // The permits of a closed limiter are released.
      if (this.#history.policy === "permits")
        for (const each of this.#counted.values()) each[at]!.net = 0;
      return;
    }
    const { key } = operation;
    const counted = this.#counted.get(key)![at]!;
    const before = `${at} ${key}`;
    if (operation.type === "hit") {
      const decision = limiter.check(key);
      if (!decision.allowed) return;
      this.#decisions.set(before, decision);
      counted.net++;
      counted.most = Math.max(counted.most, counted.net);
    } else if (operation.type === "reset") limiter.reset(key);
    else if (operation.type === "release") {
      if (counted.net === 0) return;
      limiter.release(key);
      counted.net--;
    } else {
      const decision = this.#decisions.get(before);
      if (decision === undefined || counted.net === 0) return;
      limiter.refund(key, 1, decision);
      counted.net--;
    }
  }

  check(): void {
    for (const at of this.fleet.alive) {
      for (const key of this.#keys) {
        const used = this.#used(at, key);
        const most = this.#sum(key, ({ most: each }) => each);
        if (used > most)
          throw new Error(`${name(at)} sees ${used} of ${key}, and there were ${most}`);
        const before = this.#seen[at]!.get(key) ?? 0;
        if (!this.#mayFall && used < before)
          throw new Error(`${name(at)} saw ${before} of ${key}, and sees ${used} now`);
        this.#seen[at]!.set(key, used);
      }
    }
  }

  settle(): void {
    const { fleet } = this;
    fleet.heal();
    fleet.settle(this.#history.settleMs ?? SETTLE_MS, () => this.#wrong() === undefined);
    this.check();
    const wrong = this.#wrong();
    if (wrong !== undefined) throw new Error(`in the end ${wrong}`);
  }

  hashOf(at: number): string {
    const { stepped, limiter } = this.fleet.members[at]!;
    return hashOf(stateText(stepped as SteppedReplica, [limiter]));
  }

  hashOfFrame({ frame, from, to }: Travelling): string {
    return hashOf(`${from}>${to} ${frameText(frame, this.fleet.nowMs)}`);
  }

  #wrong(): string | undefined {
    const { alive } = this.fleet;
    for (const key of this.#keys) {
      const views = alive.map((at) => this.#used(at, key));
      const seen = alive.map((at, index) => `${name(at)}: ${views[index]}`).join(", ");
      if (views.some((view) => view !== views[0])) return `they differ on ${key}: ${seen}`;
      const least = this.#hasResets
        ? 0
        : this.#sum(key, (each, at) => (alive.includes(at) ? each.net : 0));
      // A permit ends with its replica; hits do not, if any other received them.
      const isAll = this.#history.policy === "permits" || alive.length === this.programs.length;
      const most = isAll
        ? this.#sum(key, (each, at) => (alive.includes(at) ? each.net : 0))
        : this.#sum(key, ({ most: each }) => each);
      if (views[0]! < least || views[0]! > most)
        return `they see ${views[0]} of ${key}, and there are ${least} to ${most}`;
    }
    return undefined;
  }

  #used(at: number, key: string): number {
    return this.fleet.members[at]!.limiter.peek(key).used;
  }

  #sum(key: string, of: (counted: Counted, at: number) => number): number {
    return this.#counted.get(key)!.reduce((sum, each, at) => sum + of(each, at), 0);
  }
}

const name = (at: number): string => "ABCDEFGH"[at]!;
