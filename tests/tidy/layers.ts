/**
 * Which part of core may import which: the table to read, and to change, when a folder is added.
 *
 * A part holds the files and folders named here, relative to packages/core/src. Files of one part
 * may import each other; of other parts they may import only those listed. If a part has a face, other
 * parts may import the files of its face, and the rest is private to it.
 */

export interface Part {
  readonly name: string;
  readonly holds: readonly string[];
  readonly mayImport: readonly string[];
  /** The files that other parts may import; without it they may import all. */
  readonly face?: readonly string[];
}

/**
 * Parts without I/O: they get the time, frames and random numbers from their caller, and so does
 * every file that they import to run. So a simulation can replay them to the byte.
 */
export const PURE_PARTS: readonly string[] = [
  ...["base", "crdt", "store/replicas", "store/keys", "store/table", "store"],
  ...["wire", "protocol"],
];

export const CORE_PARTS: readonly Part[] = [
  { name: "base", holds: ["base/"], mayImport: [] },
  { name: "crdt", holds: ["crdt/"], mayImport: [] },
  { name: "time", holds: ["time/"], mayImport: ["base"] },
  { name: "runtime", holds: ["runtime/"], mayImport: ["base"] },
  { name: "policies", holds: ["policies/"], mayImport: ["base", "time", "runtime"] },
  // The store. What its records look like is for the store and its shapes: no other part imports it.
  {
    name: "store/replicas",
    holds: ["store/replicas/"],
    mayImport: ["base"],
    face: ["store/replicas/replicas.ts"],
  },
  {
    name: "store/keys",
    holds: [
      "store/table/fingerprint-cache.ts",
      "store/table/fingerprint.ts",
      "store/table/record-id.ts",
    ],
    mayImport: ["base"],
  },
  {
    name: "store/table",
    holds: ["store/table/"],
    mayImport: ["base", "crdt", "store/replicas", "store/keys"],
  },
  {
    name: "store",
    holds: [
      "store/delta/",
      "store/marks/",
      "store/evictor.ts",
      "store/record-versions.ts",
      "store/store-state.ts",
      "store/store.ts",
    ],
    mayImport: ["base", "crdt", "store/replicas", "store/keys", "store/table"],
    face: ["store/delta/merge-batch.ts", "store/store.ts"],
  },
  {
    name: "store/shapes",
    holds: ["store/fast-window-check.ts", "store/shapes/"],
    mayImport: [
      ...["base", "crdt", "time", "policies"],
      ...["store/replicas", "store/keys", "store/table", "store"],
    ],
    face: ["store/fast-window-check.ts", "store/shapes/make-rule.ts"],
  },
  { name: "transport", holds: ["transport/"], mayImport: ["base"] },
  { name: "wire", holds: ["wire/"], mayImport: ["crdt", "transport"] },
  {
    name: "protocol",
    holds: ["protocol/"],
    mayImport: ["base", "crdt", "store/replicas", "store", "wire", "transport"],
    face: ["protocol/replica.ts", "protocol/limiters/replicated-limiter.ts"],
  },
  {
    name: "driver",
    holds: ["driver/"],
    mayImport: ["base", "time", "runtime", "transport", "protocol"],
    face: ["driver/replica-driver.ts", "driver/replica-host.ts"],
  },
  {
    name: "cluster",
    holds: ["cluster/"],
    mayImport: ["base", "time", "runtime", "transport", "protocol", "driver"],
    face: ["cluster/cluster.ts", "cluster/stepped-cluster.ts"],
  },
  {
    name: "limiter",
    holds: ["limiter/"],
    mayImport: [
      ...["base", "crdt", "time", "runtime", "policies", "protocol", "driver", "cluster"],
      ...["store/replicas", "store/keys", "store", "store/shapes"],
    ],
  },
  // What the rooms of the HTTP layer share.
  {
    name: "http",
    holds: [
      "http/counter.ts",
      "http/framework.ts",
      "http/numeric-text.ts",
      "http/user-functions.ts",
      "http/warning-codes.ts",
      "http/warnings.ts",
    ],
    mayImport: ["base", "runtime", "limiter"],
  },
  {
    name: "http/node",
    holds: ["http/node/"],
    mayImport: ["http"],
    face: ["http/node/node-http.ts", "http/node/response-end.ts"],
  },
  {
    name: "http/client",
    holds: ["http/client/"],
    mayImport: ["base", "http"],
    face: ["http/client/client-address.ts", "http/client/client-key.ts"],
  },
  {
    name: "http/headers",
    holds: ["http/headers/"],
    mayImport: ["base", "runtime", "policies", "http", "http/client"],
    face: ["http/headers/exposure.ts", "http/headers/fields.ts"],
  },
  {
    name: "http/flow",
    holds: ["http/flow/"],
    mayImport: ["base", "policies", "limiter", "http", "http/client", "http/headers"],
    face: ["http/flow/gate.ts", "http/flow/gate-plan.ts"],
  },
  {
    name: "http/options",
    holds: ["http/options/"],
    mayImport: [
      ...["base", "time", "policies", "protocol", "cluster", "limiter"],
      ...["http", "http/client", "http/headers", "http/flow"],
    ],
    face: ["http/options/given-options.ts", "http/options/make-gate.ts"],
  },
  {
    name: "entries",
    holds: ["http.ts", "index.ts", "ipc.ts", "simulation.ts", "testing.ts", "transport.ts"],
    mayImport: [
      "base",
      "crdt",
      "time",
      "runtime",
      "policies",
      "transport",
      "protocol",
      "cluster",
      "limiter",
      ...["http", "http/node", "http/client", "http/headers", "http/flow", "http/options"],
    ],
  },
];

/** The part that holds a file given relative to packages/core/src. */
export function partOf(file: string): Part | undefined {
  return CORE_PARTS.find(({ holds }) =>
    holds.some((held) => (held.endsWith("/") ? file.startsWith(held) : file === held)),
  );
}
