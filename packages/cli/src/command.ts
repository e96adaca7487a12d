/**
 * A command: what it is called, what it takes, and what it does. Its help is made of that.
 */

import { explainFlags, type Flags, typedFlags, type Values, valuesOf, wrapped } from "./flags.ts";
import type { Terminal } from "./terminal.ts";

/** The build puts the version of the package here. */
declare const TIDEGATE_VERSION: string;

const VERSION = typeof TIDEGATE_VERSION === "string" ? TIDEGATE_VERSION : "0.0.0";
const WHERE_RESULTS_GO: readonly string[] = ["svg", "json"];

export interface Command<Table extends Flags> {
  readonly name: string;
  readonly about: string;
  readonly more: string;
  readonly examples: readonly string[];
  readonly flags: Table;
  /** `replay` is what to type for the same figures. */
  readonly run: (given: Values<Table>, terminal: Terminal, replay: string) => void | Promise<void>;
}

/** A command whose flags only it knows. */
export interface AnyCommand {
  readonly name: string;
  readonly about: string;
  readonly help: string;
  readonly run: (args: readonly string[], terminal: Terminal) => void | Promise<void>;
}

export function anyCommand<Table extends Flags>(command: Command<Table>): AnyCommand {
  const { name, about, more, examples, flags, run } = command;
  const hasFlags = Object.keys(flags).length > 0;
  const help = [
    `tidegate ${name}: ${about}`,
    "",
    ...wrapped(more, 80),
    ...(hasFlags ? ["", explainFlags(flags)] : []),
    ...(examples.length > 0 ? ["", ...examples.map((example) => `  ${example}`)] : []),
  ].join("\n");
  return {
    ...{ name, about, help },
    run: (args, terminal) => {
      const texts = typedFlags(flags, args);
      return run(valuesOf(flags, texts), terminal, replayOf(name, flags, texts));
    },
  };
}

/** What was typed, with the version and the seed; but not where the results go. */
function replayOf(name: string, flags: Flags, texts: ReadonlyMap<string, string>): string {
  const { seed } = flags;
  const typed = new Map(seed?.usual === undefined ? [] : [["seed", seed.usual]]);
  for (const [flag, text] of texts) typed.set(flag, text);
  const words = Array.from(typed)
    .filter(([flag]) => !WHERE_RESULTS_GO.includes(flag))
    .sort(([one], [other]) => Number(one === "seed") - Number(other === "seed"))
    .map(([flag, text]) => (text === "" ? `--${flag}` : `--${flag} ${text}`));
  return [`npx tidegate@${VERSION}`, name, ...words].join(" ");
}
