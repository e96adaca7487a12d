/**
 * The design to compare with: replicas in one binary heap, each of which sends to its parent and its
 * children at an interval.
 *
 * As published, a replica adds what it hears to its total and to the outboxes of its other edges, and
 * sets an outbox to zero when it sends it. A lost or repeated frame is then wrong for good. Repaired,
 * it sends what it knows of its own side of an edge in sum, and the receiver keeps the largest.
 * Windows, decisions and failing replicas are left out.
 */

import { randomStreams } from "./seeded-random.ts";
import { VirtualTime } from "./virtual-time.ts";

export type HeapTreeKind = "as published" | "repaired";

export interface HeapTreeOptions {
  readonly seed: number;
  readonly kind: HeapTreeKind;
  readonly replicas: number;
  /** How often a replica sends. */
  readonly intervalMs: number;
  readonly latencyMs: number;
  /** The parts of frames that are lost, and that arrive twice. @default 0 */
  readonly loss?: number;
  readonly duplicate?: number;
}

/** A direction of an edge: what one replica knows for another. */
interface HeapEdge {
  readonly from: number;
  readonly to: number;
  /** As published: what waits. Repaired: the sum that was sent last. */
  outbox: number;
  /** Repaired: the largest sum that has arrived. */
  arrived: number;
  isPlanned: boolean;
}

/** The edges of the longest path in a heap of so many replicas. */
export function longestHeapPath(replicas: number): number {
  const depth = Math.floor(Math.log2(replicas));
  if (depth === 0) return 0;
  // The deepest level begins with the leftmost replica; the right half reaches it only if it is
  // long enough.
  const firstOnRight = 2 ** depth + 2 ** (depth - 1);
  return replicas >= firstOnRight ? 2 * depth : 2 * depth - 1;
}

/** The propagation time that the design's own formula states. */
export function heapFormulaMs(replicas: number, intervalMs: number, latencyMs: number): number {
  return 2 * (Math.log2(replicas + 1) - 1) * (intervalMs + latencyMs);
}

export class HeapTree {
  readonly time: VirtualTime = new VirtualTime();
  /** What each replica has counted in total. */
  readonly totals: number[];
  /** The sum of all totals. */
  counted = 0;
  readonly #options: HeapTreeOptions;
  readonly #own: number[];
  readonly #edges: HeapEdge[][];
  readonly #phases: number[];
  readonly #random: () => number;

  constructor(options: HeapTreeOptions) {
    const { seed, replicas, intervalMs } = options;
    const streams = randomStreams(seed);
    const phase = streams("phases");
    this.#options = options;
    this.#random = streams("network");
    this.totals = Array.from({ length: replicas }, () => 0);
    this.#own = Array.from({ length: replicas }, () => 0);
    this.#phases = Array.from({ length: replicas }, () => phase() * intervalMs);
    this.#edges = Array.from({ length: replicas }, () => []);
    for (let child = 1; child < replicas; child++) {
      const parent = (child - 1) >> 1;
      for (const [from, to] of [
        [parent, child],
        [child, parent],
      ] as const) {
        this.#edges[from]!.push({ from, to, outbox: 0, arrived: 0, isPlanned: false });
      }
    }
  }

  hit(replica: number): void {
    this.totals[replica]!++;
    this.counted++;
    this.#own[replica]!++;
    for (const edge of this.#edges[replica]!) {
      if (this.#options.kind === "as published") edge.outbox++;
      this.#plan(edge);
    }
  }

  /** The edge is sent when its replica's interval next ends. */
  #plan(edge: HeapEdge): void {
    if (edge.isPlanned) return;
    edge.isPlanned = true;
    const { intervalMs } = this.#options;
    const phase = this.#phases[edge.from]!;
    const intervals = Math.floor((this.time.nowMs - phase) / intervalMs) + 1;
    this.time.at(phase + intervals * intervalMs, () => {
      edge.isPlanned = false;
      this.#send(edge);
    });
  }

  #send(edge: HeapEdge): void {
    const { kind, latencyMs, loss = 0, duplicate = 0 } = this.#options;
    const isRepaired = kind === "repaired";
    const amount = isRepaired ? this.#sideOf(edge) : edge.outbox;
    const isNew = amount !== edge.outbox;
    edge.outbox = isRepaired ? amount : 0;
    // A sum that may have been lost is sent again.
    if (isRepaired && (isNew || loss > 0)) this.#plan(edge);
    const copies = (this.#random() < loss ? 0 : 1) + (this.#random() < duplicate ? 1 : 0);
    for (let copy = 0; copy < copies; copy++) {
      this.time.after(latencyMs * (1 + copy), () => this.#receive(edge, amount));
    }
  }

  /** All hits on this side of an edge, as far as its replica knows. */
  #sideOf({ from, to }: HeapEdge): number {
    let sum = this.#own[from]!;
    for (const { to: other } of this.#edges[from]!) {
      if (other !== to) sum += this.#edge(other, from).arrived;
    }
    return sum;
  }

  #edge(from: number, to: number): HeapEdge {
    return this.#edges[from]!.find((edge) => edge.to === to)!;
  }

  #receive(edge: HeapEdge, amount: number): void {
    const { to, from } = edge;
    const isRepaired = this.#options.kind === "repaired";
    const added = isRepaired ? Math.max(0, amount - edge.arrived) : amount;
    if (added === 0) return;
    edge.arrived += added;
    this.totals[to]! += added;
    this.counted += added;
    for (const onward of this.#edges[to]!) {
      if (onward.to === from) continue;
      if (!isRepaired) onward.outbox += added;
      this.#plan(onward);
    }
  }
}

/**
 * How long the slowest of some hits takes to every replica, one hit after the other; without loss
 * and repetition.
 */
export function heapPropagationMs(options: HeapTreeOptions, hits: number): number {
  const tree = new HeapTree(options);
  const random = randomStreams(options.seed)("hits");
  let worst = 0;
  for (let hit = 1; hit <= hits; hit++) {
    tree.time.pass(random() * options.intervalMs);
    const startMs = tree.time.nowMs;
    tree.hit(Math.floor(random() * options.replicas));
    while (tree.counted < hit * options.replicas && tree.time.next());
    worst = Math.max(worst, tree.time.nowMs - startMs);
  }
  return worst;
}

/** The totals' largest relative error, either way, long after the last of many hits. */
export function heapError(options: HeapTreeOptions, hits: number): number {
  const tree = new HeapTree(options);
  const random = randomStreams(options.seed)("hits");
  for (let hit = 0; hit < hits; hit++) {
    tree.time.pass((random() * 2 * options.intervalMs) / 10);
    tree.hit(Math.floor(random() * options.replicas));
  }
  // Each step along the longest path may need several tries.
  const { replicas, loss = 0, intervalMs, latencyMs } = options;
  const steps = (longestHeapPath(replicas) + 10) / (1 - loss) ** 3;
  tree.time.pass(steps * (intervalMs + latencyMs));
  return Math.max(...tree.totals.map((total) => Math.abs(total - hits) / hits));
}
