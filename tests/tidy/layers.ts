/**
 * Which part of core may import which: the table to read, and to change, when a folder is added.
 *
 * A part holds the files and folders named here, relative to packages/core/src. Files of one part
 * may import each other; of other parts they may import only those listed.
 */

export interface Part {
  readonly name: string;
  readonly holds: readonly string[];
  readonly mayImport: readonly string[];
}

export const CORE_PARTS: readonly Part[] = [
  {
    name: "bottom",
    holds: ["errors.ts", "options.ts", "durations.ts", "decision.ts", "cluster-events.ts"],
    mayImport: [],
  },
  { name: "lattice", holds: ["lattice/"], mayImport: ["bottom"] },
  { name: "time", holds: ["time/"], mayImport: ["bottom"] },
  { name: "runtime", holds: ["runtime/"], mayImport: ["bottom"] },
  { name: "store", holds: ["store/"], mayImport: ["bottom", "lattice", "time"] },
  { name: "policies", holds: ["policies/"], mayImport: ["bottom", "lattice", "time", "runtime"] },
  { name: "transport", holds: ["transport/"], mayImport: ["bottom"] },
  { name: "wire", holds: ["wire/"], mayImport: ["bottom", "lattice", "transport"] },
  {
    name: "replication",
    holds: ["replication/"],
    mayImport: ["bottom", "lattice", "time", "runtime", "store", "wire", "transport"],
  },
  {
    name: "cluster",
    holds: ["cluster.ts", "cluster-options.ts", "cluster-reports.ts", "cluster-status.ts"],
    mayImport: ["bottom", "time", "runtime", "transport", "replication"],
  },
  {
    name: "limiter",
    holds: ["limiter.ts", "limiter/"],
    mayImport: [
      "bottom",
      "lattice",
      "time",
      "runtime",
      "store",
      "policies",
      "replication",
      "cluster",
    ],
  },
  {
    name: "http",
    holds: ["http/"],
    mayImport: ["bottom", "time", "runtime", "policies", "replication", "cluster", "limiter"],
  },
  {
    name: "entries",
    holds: ["http.ts", "index.ts", "ipc.ts", "testing.ts", "transport.ts"],
    mayImport: [
      "bottom",
      "lattice",
      "time",
      "runtime",
      "store",
      "policies",
      "transport",
      "replication",
      "cluster",
      "limiter",
      "http",
    ],
  },
];

/** The part that holds a file given relative to packages/core/src. */
export function partOf(file: string): Part | undefined {
  return CORE_PARTS.find(({ holds }) =>
    holds.some((held) => (held.endsWith("/") ? file.startsWith(held) : file === held)),
  );
}
