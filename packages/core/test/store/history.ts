/**
 * Long random histories of a few replicas: what happens, where, and what gets lost on the way.
 *
 * Every step is a handful of small numbers, so that a failing history shrinks well. What a replica
 * sends is kept for good and can be delivered at any later time: in part, again, and in any order.
 */

import fc from "fast-check";
import { agree, handCheckpoint } from "./agreement.ts";
import type { ShapeCase } from "./shape-cases.ts";
import { type Sent, Twin } from "./twin.ts";

/** An instant of 2026, so that times need more than 32 bits. */
const START_MS = 1_790_000_000_000;
/** Longer than any step back that is waited out. */
const CLUSTER_STEP_MS = 61_000;
/** A step back of the cluster's time that is waited out, together with what replicas disagree by. */
const HELD_BACK_MS = 59_000;
const KEYS = 3;
const ALL_KEYS = Array.from({ length: KEYS }, (_, key) => key);

const KINDS = [
  ...["hit", "hit", "hit", "hit", "send", "send", "deliver", "deliver", "deliver", "deliver"],
  ...["refund", "release", "refuse", "evict", "sweep", "reset", "resetAll", "mark", "unmark"],
  ...["silence", "return", "drop", "checkpoint", "stepBack"],
] as const;

export interface Step {
  readonly kind: (typeof KINDS)[number];
  readonly replica: number;
  readonly other: number;
  readonly key: number;
  readonly amount: number;
  /** How much time passes before it, in parts of a thousand of the shape's life. */
  readonly passes: number;
  readonly pick: number;
}

export const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...KINDS),
  replica: fc.nat(4),
  other: fc.nat(3),
  key: fc.nat(KEYS - 1),
  amount: fc.integer({ min: 1, max: 5 }),
  passes: fc.oneof(fc.constant(0), fc.nat(60), fc.integer({ min: -200, max: 1_500 })),
  pick: fc.nat(0xffff),
});

export interface HistoryOptions {
  readonly replicas: number;
  /** By replica: how far its clock is from true time. */
  readonly clocks: readonly number[];
  /** By how much each replica is wrong about others' clocks. */
  readonly error: number;
  readonly steps: readonly Step[];
}

export const history: fc.Arbitrary<HistoryOptions> = fc.record({
  replicas: fc.integer({ min: 2, max: 5 }),
  clocks: fc.array(fc.integer({ min: -9_000_000, max: 9_000_000 }), { minLength: 5, maxLength: 5 }),
  error: fc.oneof(fc.constant(0), fc.integer({ min: -40, max: 40 })),
  steps: fc.array(step, { maxLength: 150, size: "max" }),
});

/** Replicas that share the time, and everything that was ever sent. */
export class World {
  readonly twins: readonly Twin[];
  readonly sent: Sent[] = [];
  readonly #clocks: readonly number[];
  /** By replica: how far its idea of the cluster's time is from true time. */
  readonly #clusterClocks: number[];
  #trueMs = START_MS;

  constructor(shape: ShapeCase, { replicas, clocks, error }: Omit<HistoryOptions, "steps">) {
    this.#clocks = clocks;
    this.#clusterClocks = clocks.map((_, index) => index - 2);
    const ids = Array.from({ length: replicas }, (_, index) => `replica-${index}`);
    this.twins = ids.map((id, self) => {
      const offsetOf = (other: string): number =>
        other === id ? 0 : clocks[self]! - clocks[ids.indexOf(other)]! + error;
      return new Twin(id, shape, offsetOf);
    });
    for (const twin of this.twins) this.advance(twin, 0);
  }

  /** Lets time pass for all, and tells one replica of it; backwards it only tells. */
  advance(twin: Twin, ms: number): void {
    if (ms > 0) this.#trueMs += ms;
    const index = this.twins.indexOf(twin);
    const at = this.#trueMs + Math.max(-HELD_BACK_MS, Math.min(0, ms));
    twin.advance(at + this.#clocks[index]!, at + this.#clusterClocks[index]!);
  }

  /** Takes a replica's idea of the cluster's time back by more than is waited out, or forth again. */
  stepBack(twin: Twin): void {
    const stepMs = twin.isSetBack ? CLUSTER_STEP_MS : -CLUSTER_STEP_MS;
    this.#clusterClocks[this.twins.indexOf(twin)]! += stepMs;
    this.advance(twin, 0);
    twin.isSetBack = true;
  }

  send(twin: Twin): void {
    this.sent.push(twin.send());
  }

  /** Delivers some part of something that was sent, in some order; `parts` says which. */
  deliver(to: Twin, which: number, parts: number): void {
    const sent = this.sent.at(-1 - (which % Math.max(1, this.sent.length)));
    if (sent === undefined || sent.from === to.id) return;
    const order = (parts & 1) === 0 ? sent.components : [...sent.components].reverse();
    order.forEach((component, index) => {
      if (((parts >> (1 + (index % 14))) & 3) !== 3) to.join(component);
    });
    if ((parts & 2) === 0) to.joinNotes(sent);
  }

  /** Delivers everything to all replicas, exactly once. */
  deliverAll(): void {
    for (const twin of this.twins) this.advance(twin, 0);
    // A component can teach a reset that ends what its receiver has not sent yet.
    for (let round = 0; round < 2; round++) {
      const sent = this.twins.map((twin) => twin.send());
      for (const twin of this.twins) {
        for (const news of sent) {
          if (news.from === twin.id) continue;
          twin.joinNotes(news);
          for (const component of news.components) twin.join(component);
        }
      }
    }
  }
}

/** Goes through a history, comparing each replica with its reference on the way. */
export function live(shape: ShapeCase, options: HistoryOptions): void {
  const world = new World(shape, options);
  for (const step of options.steps) {
    const twin = world.twins[step.replica % options.replicas]!;
    world.advance(twin, Math.trunc((step.passes * shape.lifeMs) / 1_000));
    if (shape.looksAlways || step.kind === "stepBack") twin.look(ALL_KEYS);
    act(world, twin, step);
    const mustLook = shape.looksAlways || step.kind === "drop" || step.kind === "stepBack";
    if (mustLook || step.pick % 4 === 0) agree(twin, ALL_KEYS);
  }
  for (const twin of world.twins) agree(twin, ALL_KEYS);
}

function act(world: World, twin: Twin, { kind, other, key, amount, pick }: Step): void {
  const others = world.twins.filter((candidate) => candidate !== twin);
  const partner = others[other % others.length]!;
  const remembered = twin.hits[twin.hits.length - 1 - (pick % 8)];
  const acts: Record<Step["kind"], () => void> = {
    hit: () => twin.hit(key, amount),
    send: () => world.send(twin),
    deliver: () => world.deliver(twin, pick % 12, pick),
    refund: () => remembered && twin.refund(remembered, amount),
    release: () => twin.release(key, amount),
    refuse: () => twin.refuse(key),
    evict: () => twin.evict(key),
    sweep: () => twin.sweep(1 + (pick % 4)),
    reset: () => twin.reset(key),
    resetAll: () => pick % 3 === 0 && twin.resetAll(),
    mark: () => twin.mark(key, pick % 3, amount * 100, amount > 4 ? Number.POSITIVE_INFINITY : 10),
    unmark: () => twin.unmark(key),
    silence: () => twin.setAlive(partner.id, false),
    return: () => twin.setAlive(partner.id, true),
    drop: () => pick % 3 === 0 && twin.drop(partner.id),
    checkpoint: () => handCheckpoint(twin, partner, key),
    stepBack: () => pick % 8 === 0 && world.stepBack(twin),
  };
  acts[kind]();
}
