/** A terminal that keeps what a command writes. */

import { Readable } from "node:stream";
import { runCommand } from "../src/run-command.ts";
import type { Terminal } from "../src/terminal.ts";

export interface Written {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly files: ReadonlyMap<string, string>;
}

export async function typed(line: string, more: Partial<Terminal> = {}): Promise<Written> {
  const written = { out: "", err: "", files: new Map<string, string>() };
  const terminal: Terminal = {
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
    isInteractive: false,
    nowMs: () => 0,
    writeFile: (file, text) => void written.files.set(file, text),
    lines: () => Readable.from([]),
    ...more,
  };
  const code = await runCommand(line === "" ? [] : line.split(" "), terminal);
  return { code, ...written };
}
