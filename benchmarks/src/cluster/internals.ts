/**
 * What of core has no entry yet: a store whose keys other replicas count as well.
 *
 * The files lie beside the entry that all other scenarios import, so that what is measured is the
 * built package, in one copy. Types come from the sources, since they are checked without a build.
 * Keep to these few: whatever else of core a scenario needs, it is to reach through them.
 */

import type * as ComponentFile from "../../../packages/core/src/lattice/component.ts";
import type * as DeciderFile from "../../../packages/core/src/limiter/decider.ts";
import type * as MakeRuleFile from "../../../packages/core/src/limiter/make-rule.ts";
import type * as FingerprintFile from "../../../packages/core/src/store/fingerprint.ts";
import type * as ReplicasFile from "../../../packages/core/src/store/replicas.ts";
import type * as StoreFile from "../../../packages/core/src/store/store.ts";

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

export async function loadInternals(): Promise<Internals> {
  const { blankComponent } = await load<typeof ComponentFile>("lattice/component");
  const { Decider } = await load<typeof DeciderFile>("limiter/decider");
  const { makeRule } = await load<typeof MakeRuleFile>("limiter/make-rule");
  const { Fingerprinter } = await load<typeof FingerprintFile>("store/fingerprint");
  const { Replicas } = await load<typeof ReplicasFile>("store/replicas");
  const { Store } = await load<typeof StoreFile>("store/store");
  return { blankComponent, Decider, Fingerprinter, makeRule, Replicas, Store };
}

async function load<File>(file: string): Promise<File> {
  const entry = import.meta.resolve("@tidegate/core");
  return await import(new URL(`./${file}.js`, entry).href);
}
