import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

interface Built {
  readonly folder: string;
  readonly hash: string;
  readonly title: string;
}

const SCRIPT = new URL("../../scripts/built-commit.mjs", import.meta.url).href;
const { builtCommit } = (await import(SCRIPT)) as {
  builtCommit: (
    commit: string,
    options: { root: string; note: (line: string) => void },
  ) => Promise<Built>;
};

const root = mkdtempSync(join(tmpdir(), "tidegate-commits-"));
const notes: string[] = [];
/** Builds a package as the number that the commit says, or fails. */
const BUILD = `
  const { mkdirSync, readFileSync, writeFileSync } = require("node:fs");
  const number = readFileSync("number", "utf8");
  if (number === "broken") throw new Error("this commit does not compile");
  require("installed");
  mkdirSync("packages/core/dist/unbundled", { recursive: true });
  writeFileSync("packages/core/dist/index.cjs", "module.exports = " + number);
`;

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function git(...args: string[]): string {
  const who = ["-c", "user.name=tester", "-c", "user.email=tester@localhost"];
  return execFileSync("git", ["-C", root, ...who, ...args], { encoding: "utf8" }).trim();
}

function commit(number: string): string {
  write("number", number);
  git("add", "--all");
  git("commit", "--quiet", "--message", `number ${number}`);
  return git("rev-parse", "HEAD");
}

function built(name: string): Promise<Built> {
  return builtCommit(name, { root, note: (line) => notes.push(line) });
}

function numberIn({ folder }: Built): unknown {
  return createRequire(pathToFileURL(join(folder, "any.js")))("@tidegate/core");
}

git("init", "--quiet");
write(".gitignore", "node_modules/\ndist/\n");
write("package.json", JSON.stringify({ name: "any", scripts: { build: "node build.cjs" } }));
write("package-lock.json", JSON.stringify({ packages: { "node_modules/installed": {} } }));
write("build.cjs", BUILD);
write("packages/core/package.json", JSON.stringify({ main: "dist/index.cjs" }));
write("packages/core/src/index.ts", "");
write("node_modules/installed/index.js", "");
write("node_modules/.package-lock.json", "{}");
const [first, second, broken] = [commit("1"), commit("2"), commit("broken")];
commit("3");

afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("the packages of another commit", () => {
  it("are built from what it has, with the installed packages of this tree", async () => {
    const one = await built("HEAD~3");
    expect(one).toMatchObject({ hash: first, title: `${first!.slice(0, 7)} number 1` });
    expect(numberIn(one)).toBe(1);
    expect(numberIn(await built(second!))).toBe(2);
    expect(readdirSync(join(one.folder, "packages/core")).toSorted()).toEqual([
      ...["dist", "package.json", "src"],
    ]);
    expect(readdirSync(join(one.folder, "packages/core/dist"))).toEqual(["index.cjs"]);
  });

  it("are built once, and leave no working tree", async () => {
    notes.length = 0;
    expect(numberIn(await built("HEAD~3"))).toBe(1);
    expect(notes).toEqual([]);
    expect(git("worktree", "list").split("\n")).toHaveLength(1);
  });

  it("of an unknown commit are refused with where to look", async () => {
    await expect(built("nowhere")).rejects.toThrow(
      /git knows no commit 'nowhere' here\.\n`git log --oneline` lists commits/,
    );
  });

  it("of a commit that does not build are refused with what the build said", async () => {
    const building = built(broken!);
    await expect(building).rejects.toThrow(/number broken cannot be compared/);
    await expect(building).rejects.toThrow(/this commit does not compile/);
    expect(git("worktree", "list").split("\n")).toHaveLength(1);
  });

  it("are kept for the four commits used last", async () => {
    const [oldest, ...kept] = [first!, second!, commit("4"), commit("5"), commit("6")];
    for (const hash of [oldest!, ...kept]) await built(hash);
    const commits = join(root, "node_modules/.cache/tidegate-commits");
    expect(readdirSync(commits).toSorted()).toEqual(kept.toSorted());
    expect(existsSync(join(commits, oldest!))).toBe(false);
  });
});
