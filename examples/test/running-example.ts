/**
 * An example that runs as its README says, on ports that nobody else uses.
 *
 * The command is read from the page, so that what readers paste is what is tested. It is ended by a
 * signal, as readers would, and has to end by itself.
 */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Answer, ask, type Question } from "./asking.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ADDRESS = /http:\/\/127\.0\.0\.1:\d+/g;
const PATIENCE_MS = 15_000;
/** Less than a test waits for what it does at its end. */
const END_PATIENCE_MS = 5_000;

export interface ExampleOptions {
  /** Which of the page's commands that start a program, the first one being 0. */
  readonly command?: number;
  /** How many addresses it has to print before it is there. */
  readonly addresses?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export class RunningExample {
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown[]>;
  #output = "";

  private constructor(name: string, { command = 0, env = {} }: ExampleOptions) {
    this.#child = spawn(process.execPath, commandOf(name, command), {
      cwd: ROOT,
      env: { ...process.env, ...env, PORT: "0" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#exit = once(this.#child, "exit");
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on("data", (bytes) => {
        this.#output += String(bytes);
      });
    }
  }

  /** @param name the folder below examples */
  static async start(name: string, options: ExampleOptions = {}): Promise<RunningExample> {
    const example = new RunningExample(name, options);
    try {
      await example.#listens(options.addresses ?? 1);
    } catch (error) {
      example.#child.kill("SIGKILL");
      throw error;
    }
    return example;
  }

  /** Where it listens, in the order in which it was printed. */
  get addresses(): string[] {
    return [...new Set(this.#output.match(ADDRESS))];
  }

  get output(): string {
    return this.#output;
  }

  /** Sends a request on a connection of its own. */
  ask(question: Question = {}, address: string = this.addresses[0] ?? ""): Promise<Answer> {
    return ask(address, question);
  }

  /** The statuses of so many requests, one after the other. */
  async statuses(count: number, question: Question = {}): Promise<number[]> {
    const all: number[] = [];
    for (let asked = 0; asked < count; asked++) all.push((await this.ask(question)).status);
    return all;
  }

  /** Ends it as Ctrl+C does, and fails unless it ends by itself and content. */
  async stop(signal: NodeJS.Signals = "SIGINT"): Promise<void> {
    this.#child.kill(signal);
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), END_PATIENCE_MS);
    const [code, killedBy] = await this.#exit;
    clearTimeout(timer);
    if (code !== 0) {
      throw new Error(`ended by ${killedBy ?? `code ${code}`} after ${signal}:\n${this.#output}`);
    }
  }

  async #listens(count: number): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while ((this.#output.match(ADDRESS) ?? []).length < count) {
      const isOver = this.#child.exitCode !== null || performance.now() > deadline;
      if (isOver) throw new Error(`it does not listen:\n${this.#output}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** What a program says that a page has beside its server, until it ends by itself. */
export async function programOf(
  name: string,
  command: number,
  args: readonly string[],
): Promise<string> {
  const own = commandOf(name, command);
  const options = { cwd: ROOT, timeout: PATIENCE_MS };
  const { stdout } = await promisify(execFile)(process.execPath, [...own, ...args], options);
  return stdout;
}

/** The arguments of a command by which an example's page starts a program. */
function commandOf(name: string, position: number): string[] {
  const page = readFileSync(`${ROOT}examples/${name}/README.md`, "utf8");
  const blocks = Array.from(page.matchAll(/^```sh\n([\s\S]*?)^```$/gm), ([, block]) => block ?? "");
  const lines = blocks.flatMap((block) => block.split("\n"));
  const commands = lines.filter((line) => line.startsWith("node "));
  const command = commands[position];
  if (command === undefined) throw new Error(`${name}/README.md has no command ${position}`);
  return command.split(" ").slice(1);
}
