/**
 * The packages of another commit, and beside them a copy of these benchmarks.
 *
 * Both sides of a comparison run the same benchmarks, frameworks and limiters of others. Only
 * `@tidegate/*` differs: Node finds it in the folder of the commit, and all else further up, among the
 * packages that this repository has installed.
 */

import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { execPath } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

export interface OtherCommit {
  readonly hash: string;
  /** The short hash and the subject. */
  readonly title: string;
  /** The folder of its copy of the workers. */
  readonly workers: string;
}

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** Of the workspace of the benchmarks: what runs, and what says of which sources it makes a bundle. */
const COPIED = ["dist", "package.json", "src/cluster/internals-entry.ts"];

/** Builds a commit, if it is not built yet; what goes wrong is on standard error, and `undefined` is returned. */
export function openCommit(commit: string): OtherCommit | undefined {
  let said: string;
  try {
    said = execFileSync(execPath, [join(ROOT, "scripts/built-commit.mjs"), commit], {
      stdio: ["ignore", "pipe", "inherit"],
      encoding: "utf8",
    });
  } catch {
    return undefined;
  }
  const { folder, hash, title } = JSON.parse(said) as Record<"folder" | "hash" | "title", string>;
  const benchmarks = join(folder, "benchmarks");
  rmSync(benchmarks, { recursive: true, force: true });
  for (const path of COPIED) {
    cpSync(join(ROOT, "benchmarks", path), join(benchmarks, path), { recursive: true });
  }
  return { hash, title, workers: `${pathToFileURL(join(benchmarks, "dist")).href}/` };
}
