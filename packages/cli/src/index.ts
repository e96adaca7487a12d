/**
 * The command line of tidegate, for programs that run it themselves.
 *
 * @packageDocumentation
 */

export { runCommand } from "./run-command.ts";
export type { Terminal } from "./terminal.ts";
