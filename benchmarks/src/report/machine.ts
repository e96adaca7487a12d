/**
 * The machine that figures were measured on, without which they mean little.
 */

import { cpus, loadavg, totalmem } from "node:os";
import { arch, platform, versions } from "node:process";

export interface Machine {
  readonly node: string;
  readonly v8: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly platform: string;
  /** How many processes were waiting for a core when the run began. */
  readonly load: number;
}

export function describeMachine(): Machine {
  const processors = cpus();
  return {
    node: versions.node,
    v8: versions.v8,
    cpu: processors[0]?.model.trim() ?? "unknown",
    cores: processors.length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    platform: `${platform}-${arch}`,
    load: loadavg()[0] ?? 0,
  };
}
