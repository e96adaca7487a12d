/**
 * The command line of `bench`.
 */

import { parseArgs } from "node:util";

export interface BenchArguments {
  readonly suite: string;
  /** Words that a scenario must hold to be run. */
  readonly words: readonly string[];
  readonly json: boolean;
  /** A file to draw the chart of a fleet into. */
  readonly chart?: string | undefined;
  /** A commit to compare with. */
  readonly against?: string | undefined;
  readonly quick: boolean;
  readonly help: boolean;
}

/** Reads the arguments; throws on an unknown option. */
export function readArguments(args: readonly string[]): BenchArguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: "boolean", default: false },
      chart: { type: "string" },
      against: { type: "string" },
      quick: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const [suite = "", ...words] = positionals;
  return { suite, words, ...values };
}
