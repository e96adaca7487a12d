/**
 * Where a command reads and writes: its result, and what is only for the person who waits.
 */

import { writeFileSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";

/** Work that takes longer shows how far it is. */
const QUIET_MS = 2_000;
const REDRAWN_EVERY_MS = 250;

export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly isInteractive: boolean;
  readonly nowMs: () => number;
  readonly writeFile: (file: string, text: string) => void;
  /** What is typed, or comes through a pipe. */
  readonly lines: () => AsyncIterable<string>;
}

export const processTerminal: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  isInteractive: process.stderr.isTTY === true,
  nowMs: () => performance.now(),
  writeFile: (file, text) => writeFileSync(file, text),
  lines: () => createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY }),
};

/** Shows how far a command is, on the other stream, and only if it takes long. */
export class Progress {
  readonly #terminal: Terminal;
  readonly #startMs: number;
  #shownAtMs: number;
  #shown = "";

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#startMs = terminal.nowMs();
    this.#shownAtMs = this.#startMs + QUIET_MS - REDRAWN_EVERY_MS;
  }

  at(part: number, what: string): void {
    const { nowMs, isInteractive, err } = this.#terminal;
    if (nowMs() - this.#shownAtMs < REDRAWN_EVERY_MS) return;
    this.#shownAtMs = nowMs();
    const text = `${Math.floor(100 * part)} % ${what}`;
    if (isInteractive) err(`\r${text.padEnd(this.#shown.length)}`);
    else if (this.#shown === "") err("this takes more than a moment…\n");
    this.#shown = text;
  }

  end(): void {
    const { isInteractive, err } = this.#terminal;
    if (isInteractive && this.#shown !== "") err(`\r${" ".repeat(this.#shown.length)}\r`);
  }
}
