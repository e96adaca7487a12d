/**
 * What of core has no entry yet: a store whose keys other replicas count as well.
 *
 * The published files do not show these parts, so they are bundled from the sources, by the bundler that
 * makes the published files. A scenario that takes them uses no limiter of the package beside them.
 * Keep to these few: whatever else of core a scenario needs, it is to reach through them.
 */

import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import type * as ComponentFile from "../../../packages/core/src/crdt/component.ts";
import type * as DeciderFile from "../../../packages/core/src/limiter/decider.ts";
import type * as ReplicasFile from "../../../packages/core/src/store/replicas/replicas.ts";
import type * as MakeRuleFile from "../../../packages/core/src/store/shapes/make-rule.ts";
import type * as StoreFile from "../../../packages/core/src/store/store.ts";
import type * as FingerprintFile from "../../../packages/core/src/store/table/fingerprint.ts";

export type Component = ComponentFile.Component;
export type Decider = DeciderFile.Decider;
export type Fingerprinter = FingerprintFile.Fingerprinter;
export type Store = StoreFile.Store;

export interface Internals {
  readonly blankComponent: typeof ComponentFile.blankComponent;
  readonly Decider: typeof DeciderFile.Decider;
  readonly Fingerprinter: typeof FingerprintFile.Fingerprinter;
  readonly makeRule: typeof MakeRuleFile.makeRule;
  readonly Replicas: typeof ReplicasFile.Replicas;
  readonly Store: typeof StoreFile.Store;
}

const CORE = fileURLToPath(new URL("../../../packages/core/src", import.meta.url));

const ENTRY = [
  `export { blankComponent } from "./lattice/component.ts";`,
  `export { Decider } from "./limiter/decider.ts";`,
  `export { makeRule } from "./limiter/make-rule.ts";`,
  `export { Fingerprinter } from "./store/fingerprint.ts";`,
  `export { Replicas } from "./store/replicas.ts";`,
  `export { Store } from "./store/store.ts";`,
].join("\n");

export async function loadInternals(): Promise<Internals> {
  const id = `${CORE}/internals-for-benchmarks.ts`;
  const virtual = {
    name: "entry",
    resolveId: (asked: string) => (asked === id ? id : null),
    load: (asked: string) => (asked === id ? ENTRY : null),
  };
  const bundle = await rolldown({ input: id, platform: "node", plugins: [virtual] });
  const [{ code }] = (await bundle.generate({ format: "es" })).output;
  return await import(`data:text/javascript,${encodeURIComponent(code)}`);
}
