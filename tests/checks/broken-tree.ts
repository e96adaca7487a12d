/**
 * A copy of the repository in which something is broken on purpose, so that a test can see a check fail.
 *
 * An edit names a file and what becomes of its text. The edits are undone when the work that needs them
 * has ended, so one copy serves many tests.
 */

import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** Files relative to the root, each with what becomes of its text, which is empty for a new file. */
export type Edits = Readonly<Record<string, (text: string) => string>>;

export interface Ended {
  readonly code: number;
  readonly output: string;
}

export interface CopyOptions {
  /** Which entries of the root are copied: all when absent. */
  readonly takes?: (entry: string) => boolean;
}

export class BrokenTree {
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  static async make(options: CopyOptions = {}): Promise<BrokenTree> {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "tidegate-checks-")));
    const { copyTree } = await import(pathToFileURL(join(ROOT, "scripts/tree-copy.mjs")).href);
    copyTree(root, options);
    return new BrokenTree(root);
  }

  read(file: string): string {
    return readFileSync(join(this.root, file), "utf8");
  }

  /** Runs `work` while the edits are in place. An edit that changes nothing is a mistake of the test. */
  async broken<T>(edits: Edits, work: () => Promise<T>): Promise<T> {
    const undo = Object.entries(edits).map(([file, edit]) => this.#apply(file, edit));
    try {
      return await work();
    } finally {
      for (const step of undo.reverse()) step();
    }
  }

  /** Runs a program in the copy and resolves to how it ended. */
  run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    const options = {
      cwd: this.root,
      maxBuffer: OUTPUT_BYTES_MAX,
      // A test runner inside a test runner must not take itself for the outer one.
      env: { ...process.env, VITEST: undefined, NODE_OPTIONS: undefined, ...env },
    };
    return new Promise((resolve) => {
      const child = execFile(program, args, options, (_error, stdout, stderr) => {
        resolve({ code: child.exitCode ?? 1, output: stdout + stderr });
      });
    });
  }

  /** Evaluates an ES module in the copy. */
  evaluate(module: string, env?: NodeJS.ProcessEnv): Promise<Ended> {
    return this.run(process.execPath, ["--input-type=module", "--eval", module], env);
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  #apply(file: string, edit: (text: string) => string): () => void {
    const path = join(this.root, file);
    const before = existsSync(path) ? readFileSync(path, "utf8") : undefined;
    const after = edit(before ?? "");
    if (after === before) throw new Error(`the edit of ${file} changes nothing: update this test`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, after);
    return () => (before === undefined ? rmSync(path) : writeFileSync(path, before));
  }
}

/** An edit that adds text at the end of a file. */
export function adding(more: string): (text: string) => string {
  return (text) => text + more;
}

/** An edit that replaces the first occurrence of some text. */
export function replacing(from: string | RegExp, to: string): (text: string) => string {
  return (text) => text.replace(from, () => to);
}
