/**
 * What of core has no entry yet: a store whose keys other replicas count as well.
 *
 * The published files do not show these parts, so they are bundled from the sources, by the bundler that
 * makes the published files. A scenario that takes them uses no limiter of the package beside them.
 * Keep to these few: whatever else of core a scenario needs, it is to reach through them.
 */

import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import type * as Entry from "./internals-entry.ts";

export type { Component, Decider, Fingerprinter, Store } from "./internals-entry.ts";
export type Internals = typeof Entry;

export async function loadInternals(): Promise<Internals> {
  const input = fileURLToPath(new URL("../../src/cluster/internals-entry.ts", import.meta.url));
  const bundle = await rolldown({ input, platform: "node" });
  const generated = await bundle.generate({ format: "es" }).catch((cause: unknown) => {
    throw new Error("core's sources are not where internals-entry.ts has them", { cause });
  });
  const [{ code }] = generated.output;
  return await import(`data:text/javascript,${encodeURIComponent(code)}`);
}
