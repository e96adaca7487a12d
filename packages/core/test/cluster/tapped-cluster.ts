/**
 * Clusters of one process on fake time, on a network where an attacker overhears all frames, and
 * can send any bytes.
 */

import { vi } from "vitest";
import {
  type Cluster,
  type ClusterOptions,
  hostOf,
  joinCluster,
} from "../../src/cluster/cluster.ts";
import { createLimiter, type Limiter } from "../../src/limiter/limiter.ts";
import type { LimiterOptions } from "../../src/limiter/limiter-options.ts";
import { fixedWindow } from "../../src/policies/fixed-window.ts";
import { addressOf } from "../../src/protocol/membership/replica-id.ts";
import type { Replica } from "../../src/protocol/replica.ts";
import { type MemoryNetwork, memoryNetwork } from "../../src/transport/memory-network.ts";
import type { Transport } from "../../src/transport/transport.ts";
import { FRAME_KINDS, type FrameKind } from "../../src/wire/frame.ts";

/** A frame that was overheard. */
export interface Overheard {
  /** The address of its sender. */
  readonly from: string;
  readonly frame: Uint8Array;
}

export interface TappedMember {
  readonly transport: Transport;
  readonly cluster: Cluster;
  readonly limiter: Limiter;
  readonly replica: Replica;
}

export const HUNDRED_A_MINUTE = fixedWindow({ limit: 100, windowMs: 60_000 });

export class TappedCluster {
  readonly network: MemoryNetwork = memoryNetwork();
  readonly overheard: Overheard[] = [];
  readonly #options: Partial<ClusterOptions>;
  readonly #voice: Transport = this.network.transport();

  constructor(options: Partial<ClusterOptions> = {}) {
    this.#options = options;
    const context = { namespace: "shop", replica: "f".repeat(16) };
    this.#voice.open(() => {}, { ...context, report: () => {}, changed: () => {} });
  }

  add(
    clusterOptions: Partial<ClusterOptions> = {},
    limiterOptions: Partial<LimiterOptions> = {},
  ): TappedMember {
    const transport = this.#tapped(this.network.transport());
    const cluster = joinCluster({
      ...{ transport, namespace: "shop" },
      ...this.#options,
      ...clusterOptions,
    });
    const limiter = createLimiter({
      ...{ name: "api", policy: HUNDRED_A_MINUTE, cluster },
      ...limiterOptions,
    });
    return { transport, cluster, limiter, replica: hostOf(cluster).replica };
  }

  /** Crashes a member. */
  crash({ transport, cluster }: TappedMember): void {
    void transport.close();
    void cluster.leave();
  }

  /** Sends bytes to all, from an address that is no replica's. */
  say(frame: Uint8Array): void {
    this.#voice.publish(frame);
  }

  /** Replays overheard frames, of one sender or of all, and waits until they are received. */
  replay(overheard: readonly Overheard[] = Array.from(this.overheard)): void {
    for (const { frame } of overheard) this.say(frame);
    vi.advanceTimersByTime(50);
  }

  of(member: TappedMember): Overheard[] {
    const address = addressOf(member.cluster.status().replica);
    return this.overheard.filter(({ from }) => from === address);
  }

  #tapped(transport: Transport): Transport {
    const publish = transport.publish.bind(transport);
    const open = transport.open.bind(transport);
    let from = "";
    transport.open = (receive, context) => {
      from = context.replica;
      return open(receive, context);
    };
    transport.publish = (frame, to) => {
      if (transport.connected) this.overheard.push({ from, frame });
      return publish(frame, to);
    };
    return transport;
  }
}

export function hit({ limiter }: Pick<TappedMember, "limiter">, times: number, key = "ada"): void {
  for (let time = 0; time < times; time++) limiter.check(key);
}

/** Hits that count for a key, as a member sees it. */
export function used({ limiter }: Pick<TappedMember, "limiter">, key = "ada"): number {
  return limiter.peek(key).used;
}

/** The ids of those that a member takes to be alive. */
export function alive({ cluster }: Pick<TappedMember, "cluster">): string[] {
  return cluster
    .status()
    .peers.filter(({ isAlive }) => isAlive)
    .map(({ replica }) => replica)
    .sort();
}

export function kindOf(frame: Uint8Array): FrameKind | undefined {
  return FRAME_KINDS[frame[3] ?? FRAME_KINDS.length];
}

/**
 * Loses all frames of a kind that a member sends or relays, until the returned function is called.
 */
export function lose(kind: FrameKind, { transport }: TappedMember): () => void {
  const publish = transport.publish.bind(transport);
  transport.publish = (frame, to) => kindOf(frame) !== kind && publish(frame, to);
  return () => {
    transport.publish = publish;
  };
}
