/**
 * The packages of another commit, built by that commit's own scripts, for a comparison with those of
 * this tree.
 *
 * The commit is checked out and built in a temporary working tree, which is removed. It shares the
 * installed packages of this tree if both lock the same ones; otherwise `npm ci` installs its own.
 * What was built stays in `node_modules/.cache`, in a folder named by the hash. At most COMMITS_MAX
 * commits stay, those used last. The tree is elsewhere because TypeScript writes no code for
 * sources below a folder `node_modules`.
 *
 * Run as a program, it prints `{ folder, hash, title }` as JSON, or the problem on standard error.
 */

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { argv, stderr } from "node:process";
import { pathToFileURL } from "node:url";
import { execute, ROOT, say } from "./steps.mjs";
import { linkModules } from "./tree-copy.mjs";

const COMMITS_MAX = 4;
/** Of the output of a build that fails. */
const LINES_MAX = 30;
/** npm runs scripts with its own settings as variables: the workspace too, which is one of this tree. */
const NOT_INHERITED = { npm_config_workspace: undefined, npm_config_local_prefix: undefined };

/**
 * The folder with `packages/` of a commit, and with links to them in `node_modules/@tidegate`.
 *
 * @param {string} commit as git names it: a hash, a branch, HEAD~1
 */
export async function builtCommit(commit, { root = ROOT, note = say } = {}) {
  const hash = await hashOf(commit, root);
  const title = (await git(root, "log", "-1", "--format=%h %s", hash)).output.trim();
  const commits = join(root, "node_modules/.cache/tidegate-commits");
  const folder = join(commits, hash);
  if (!existsSync(folder)) {
    mkdirSync(commits, { recursive: true });
    const tree = mkdtempSync(join(tmpdir(), "tidegate-commit-"));
    try {
      await build({ root, tree, hash, title, note });
      keep(tree, folder);
    } finally {
      await git(root, "worktree", "remove", "--force", tree);
      rmSync(tree, { recursive: true, force: true });
    }
  }
  utimesSync(folder, new Date(), new Date());
  forgetAllBut(COMMITS_MAX, commits);
  return { folder, hash, title };
}

async function hashOf(commit, root) {
  const asked = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${commit}^{commit}`];
  const { code, output } = await git(root, ...asked);
  if (code === 0) return output.trim();
  throw new Error(
    `git knows no commit '${commit}' here${output.trim() === "" ? "" : `: ${output.trim()}`}.\n` +
      "`git log --oneline` lists commits; HEAD~1 is the one before this. A shallow clone has only\n" +
      "the latest: `git fetch --unshallow` brings the others.",
  );
}

async function build({ root, tree, hash, title, note }) {
  note(`checking out ${title}`);
  const added = await git(root, "worktree", "add", "--quiet", "--detach", tree, hash);
  if (added.code !== 0) throw new Error(`git cannot check out ${hash}:\n${added.output}`);
  if (hasSameModules(root, tree)) {
    linkModules(tree, root);
  } else {
    note("installing its dependencies: its package-lock.json has others than this tree's");
    await npm(tree, title, "ci", "--no-audit", "--no-fund");
  }
  note("building it, which is needed once");
  await npm(tree, title, "run", "build");
}

/** Whether the lock files name the same packages, except those of the repository itself. */
function hasSameModules(root, tree) {
  const [here, there] = [root, tree].map((folder) => {
    const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
    return Object.entries(packages).filter(
      ([path, { link }]) => path.includes("node_modules/") && link !== true,
    );
  });
  return JSON.stringify(here) === JSON.stringify(there);
}

async function npm(tree, title, ...args) {
  const { code, output } = await execute("npm", args, { cwd: tree, env: NOT_INHERITED });
  if (code === 0) return;
  const lines = output.trimEnd().split("\n").slice(-LINES_MAX).join("\n");
  throw new Error(
    `${title} cannot be compared: in it, \`npm ${args.join(" ")}\` fails with this Node, ` +
      `${process.version}:\n\n${lines}`,
  );
}

/** Moves what was built into its folder at once, so that a folder is never half full. */
function keep(tree, folder) {
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(join(partial, "node_modules/@tidegate"), { recursive: true });
  for (const name of readdirSync(join(tree, "packages"))) {
    const [from, to] = [tree, partial].map((place) => join(place, "packages", name));
    if (!existsSync(join(from, "dist/index.cjs"))) continue;
    for (const part of ["package.json", "src", "dist"]) {
      const filter = (path) => basename(path) !== "unbundled";
      cpSync(join(from, part), join(to, part), { recursive: true, filter });
    }
    const link = join(partial, "node_modules/@tidegate", name);
    symlinkSync(join("../../packages", name), link, "junction");
  }
  renameSync(partial, folder);
}

/** Removes the commits that were not used for longest, and what an interrupted run left. */
function forgetAllBut(count, commits) {
  const usedAt = (name) => statSync(join(commits, name)).mtimeMs;
  const names = readdirSync(commits).sort((left, right) => usedAt(right) - usedAt(left));
  for (const name of names.slice(count)) rmSync(join(commits, name), { recursive: true });
}

function git(root, ...args) {
  return execute("git", ["-C", root, ...args]);
}

if (argv[1] !== undefined && pathToFileURL(argv[1]).href === import.meta.url) {
  const note = (line) => stderr.write(`${line}\n`);
  await builtCommit(argv[2] ?? "", { note }).then(
    (built) => say(JSON.stringify(built)),
    ({ message }) => {
      note(message);
      process.exitCode = 1;
    },
  );
}
