/**
 * The flags of a command: one table that reads them, explains them, and writes them again.
 */

import { nearest, type Reader } from "./units.ts";
import { UsageError } from "./usage-error.ts";

export interface Flag<Value> {
  /** What stands for the value in the help; without it the flag is a switch. */
  readonly takes?: string;
  readonly about: string;
  /** What it is when it is not given, as it would be typed. */
  readonly usual?: string;
  readonly read: Reader<Value>;
}

export interface UsualFlag<Value> extends Flag<Value> {
  readonly usual: string;
}

export type Flags = Readonly<Record<string, Flag<unknown>>>;

/** What each flag of a table is; undefined if it was not given and has no usual value. */
export type Values<Table extends Flags> = {
  readonly [Name in keyof Table]:
    | ReturnType<Table[Name]["read"]>
    | (Table[Name] extends { readonly usual: string } ? never : undefined);
};

/** A flag without a value. */
export function toggle(about: string): Flag<true> {
  return { about, read: () => true };
}

/** The texts of the flags that were typed, as `--name value` or `--name=value`; "" for switches. */
export function typedFlags(table: Flags, args: readonly string[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (let at = 0; at < args.length; at++) {
    const [name, joined] = split(args[at]!);
    const flag = name === undefined ? undefined : table[name];
    if (name === undefined || flag === undefined) throw unknown(args[at]!, name, table);
    if (flag.takes === undefined) {
      if (joined !== undefined) throw new UsageError(`--${name} takes no value`);
      texts.set(name, "");
      continue;
    }
    const text = joined ?? args[++at];
    if (text === undefined || text.startsWith("--")) {
      throw new UsageError(`--${name} needs a value: --${name} ${flag.takes}`);
    }
    texts.set(name, text);
  }
  return texts;
}

/** What each flag is: as it was typed, or as usual. */
export function valuesOf<Table extends Flags>(
  table: Table,
  texts: ReadonlyMap<string, string>,
): Values<Table> {
  const values: Record<string, unknown> = {};
  for (const [name, { usual, read }] of Object.entries(table)) {
    const text = texts.get(name) ?? usual;
    if (text !== undefined) values[name] = read(text, name);
  }
  return values as Values<Table>;
}

/** The lines of the help about flags, at most 80 columns wide. */
export function explainFlags(table: Flags): string {
  const heads = Object.entries(table).map(([name, { takes }]) =>
    takes === undefined ? `--${name}` : `--${name} ${takes}`,
  );
  const width = Math.max(...heads.map(({ length }) => length));
  return Object.values(table)
    .map(({ about, usual }, index) => {
      const text = usual === undefined || usual === "" ? about : `${about} [${usual}]`;
      return wrapped(text, 80 - width - 4)
        .map((line, row) => `  ${(row === 0 ? heads[index]! : "").padEnd(width)}  ${line}`)
        .join("\n");
    })
    .join("\n");
}

export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

function split(arg: string): [name: string | undefined, value: string | undefined] {
  const [, name, value] = /^--([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
  return [name, value];
}

function unknown(arg: string, name: string | undefined, table: Flags): UsageError {
  const names = Object.keys(table);
  const near = nearest(name ?? arg.replace(/^-+/, ""), names);
  const hint = near === undefined ? "; --help lists the flags" : `. Did you mean --${near}?`;
  return new UsageError(`'${arg.replace(/=.*$/s, "")}' is not a flag of this command${hint}`);
}
