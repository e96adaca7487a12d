/** Members of a cluster whose limiters are closed and created again, and what they keep of them. */

import { vi } from "vitest";
import { createLimiter, type Limiter } from "../../../src/limiter/limiter.ts";
import type { LimiterOptions } from "../../../src/limiter/limiter-options.ts";
import { HUNDRED_A_MINUTE, TappedCluster, type TappedMember } from "../tapped-cluster.ts";

export const MINUTE_MS = 60_000;

export class ClosingCluster {
  readonly #cluster = new TappedCluster();
  readonly #members: TappedMember[] = [];

  add(options: Partial<LimiterOptions> = {}): TappedMember {
    const member = this.#cluster.add({}, options);
    this.#members.push(member);
    return member;
  }

  /** Two members that have been up for some seconds. */
  two(options: Partial<LimiterOptions> = {}): [TappedMember, TappedMember] {
    const both: [TappedMember, TappedMember] = [this.add(options), this.add(options)];
    vi.advanceTimersByTime(3_000);
    return both;
  }

  /** Neither of two receives the other any more, until the returned function is called. */
  cut(one: TappedMember, other: TappedMember): () => void {
    const { network } = this.#cluster;
    network.cut(one.transport, other.transport);
    network.cut(other.transport, one.transport);
    return () => network.heal();
  }

  /** Makes all leave, so that the process's timer does not stay behind with the faked ones. */
  async end(): Promise<void> {
    for (const { cluster } of this.#members) void cluster.leave();
    await vi.advanceTimersByTimeAsync(1_000);
  }
}

/** How many limiters a member keeps something of, open or closed. */
export function kept({ replica }: TappedMember): number {
  return Array.from(replica.replicatedLimiters.all()).length;
}

/** The limiter of a member, made once more. */
export function again(member: TappedMember, options: Partial<LimiterOptions> = {}): TappedMember {
  const { cluster } = member;
  const limiter: Limiter = createLimiter({
    ...{ name: "api", policy: HUNDRED_A_MINUTE, cluster },
    ...options,
  });
  return { ...member, limiter };
}
