/**
 * How much memory the process holds, after collecting rubbish.
 */

import { memoryUsage } from "node:process";
import { collectGarbage } from "./collector.ts";

export interface MemoryUse {
  /** The JavaScript heap and what it owns outside, such as the bytes of typed arrays. */
  readonly managedBytes: number;
  /** Pages of the process in memory, everything included. */
  readonly residentBytes: number;
}

/** What is in use now. Twice, because freeing outside memory takes a second collection. */
export function memoryInUse(): MemoryUse {
  collectGarbage();
  collectGarbage();
  const { heapUsed, external, rss } = memoryUsage();
  return { managedBytes: heapUsed + external, residentBytes: rss }; // `external` includes array buffers.
}
