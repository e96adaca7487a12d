/**
 * A command: what it is called, what it takes, and what it does. Its help is made of that.
 */

import { explainFlags, type Flags, readFlags, type Values, wrapped } from "./flags.ts";
import type { Terminal } from "./terminal.ts";

export interface Command<Table extends Flags> {
  readonly name: string;
  readonly about: string;
  readonly more: string;
  readonly examples: readonly string[];
  readonly flags: Table;
  readonly run: (given: Values<Table>, terminal: Terminal) => void | Promise<void>;
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
    run: (args, terminal) => run(readFlags(flags, args), terminal),
  };
}
