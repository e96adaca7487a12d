/** A process of a cluster, with one limiter, as a user would make it; and hits on it. */

import { type Cluster, type ClusterOptions, joinCluster } from "../../src/cluster/cluster.ts";
import { createLimiter, type Limiter } from "../../src/limiter/limiter.ts";
import type { LimiterOptions } from "../../src/limiter/limiter-options.ts";
import { fixedWindow } from "../../src/policies/fixed-window.ts";
import type { MemoryNetwork } from "../../src/transport/memory-network.ts";
import type { Transport } from "../../src/transport/transport.ts";

export interface Joined {
  readonly transport: Transport;
  readonly cluster: Cluster;
  readonly limiter: Limiter;
}

export const policy = fixedWindow({ limit: 100, windowMs: 60_000 });

export function join(
  network: MemoryNetwork,
  clusterOptions: Partial<ClusterOptions> = {},
  limiterOptions: Partial<LimiterOptions> = {},
): Joined {
  const transport = network.transport();
  const cluster = joinCluster({ transport, namespace: "shop", ...clusterOptions });
  const limiter = createLimiter({ name: "api", policy, cluster, ...limiterOptions });
  return { transport, cluster, limiter };
}

/** How many of many hits are allowed. */
export function pass({ limiter }: Joined, key = "ada"): number {
  let passed = 0;
  for (let hit = 0; hit < 200; hit++) if (limiter.check(key).allowed) passed++;
  return passed;
}

export function hit({ limiter }: Joined, times: number): void {
  for (let time = 0; time < times; time++) limiter.check("ada");
}
