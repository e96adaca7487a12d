/**
 * The command line: finds the command, and says what is wrong with what was typed.
 */

import type { AnyCommand } from "./command.ts";
import { maelstromCommand } from "./maelstrom/maelstrom-command.ts";
import { accuracyCommand } from "./sim/accuracy-command.ts";
import { convergenceCommand } from "./sim/convergence-command.ts";
import { costCommand } from "./sim/cost-command.ts";
import { propagationCommand } from "./sim/propagation-command.ts";
import { processTerminal, type Terminal } from "./terminal.ts";
import { nearest } from "./units.ts";
import { UsageError } from "./usage-error.ts";

const COMMANDS: readonly AnyCommand[] = [
  accuracyCommand,
  convergenceCommand,
  propagationCommand,
  costCommand,
  maelstromCommand,
];

const EXIT_MISUSED = 2;

/** Runs what was typed after `tidegate`; resolves to the exit code. */
export async function runCommand(
  args: readonly string[],
  terminal: Terminal = processTerminal,
): Promise<number> {
  try {
    const [command, rest] = find(args);
    if (command === undefined) terminal.out(`${overview()}\n`);
    else if (isHelp(rest)) terminal.out(`${command.help}\n`);
    else await command.run(rest, terminal);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    terminal.err(`tidegate: ${error.message}\n`);
    return EXIT_MISUSED;
  }
}

function isHelp(args: readonly string[]): boolean {
  return args.includes("--help") || args.includes("-h");
}

/** The command whose name the arguments begin with, the longest one, and what follows it. */
function find(args: readonly string[]): [AnyCommand | undefined, readonly string[]] {
  if (args.length === 0 || args[0] === "--help" || args[0] === "-h") return [undefined, []];
  const first = args.findIndex((arg) => arg.startsWith("-"));
  const words = first < 0 ? args : args.slice(0, first);
  const name = words.join(" ");
  const command = COMMANDS.find((command) => command.name === name);
  if (command !== undefined) return [command, args.slice(words.length)];
  const near = nearest(
    name,
    COMMANDS.map((command) => command.name),
  );
  const hint =
    near === undefined ? "'tidegate --help' lists them" : `did you mean 'tidegate ${near}'?`;
  throw new UsageError(
    name === ""
      ? `'${args[0]}' needs a command before it: ${hint}`
      : `there is no command '${name}': ${hint}`,
  );
}

function overview(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  return [
    "tidegate: rate limits that processes share, and what to expect of them",
    "",
    ...COMMANDS.map(({ name, about }) => `  tidegate ${name.padEnd(width)}  ${about}`),
    "",
    "'tidegate sim --help' explains what a command takes.",
  ].join("\n");
}
