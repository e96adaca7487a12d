/** What the suite takes of core's sources: `internals.ts` bundles it. */

export { blankComponent, type Component } from "../../../packages/core/src/crdt/component.ts";
export { Decider } from "../../../packages/core/src/limiter/decider.ts";
export { Replicas } from "../../../packages/core/src/store/replicas/replicas.ts";
export { makeRule } from "../../../packages/core/src/store/shapes/make-rule.ts";
export { Store } from "../../../packages/core/src/store/store.ts";
export { Fingerprinter } from "../../../packages/core/src/store/table/fingerprint.ts";
