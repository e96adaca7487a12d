/**
 * Builds the package in the current folder into dist: one CommonJS implementation, a thin ES module
 * around it for `import`, and the types of both.
 *
 * dist/unbundled has the declarations of each source, which the compiler writes when it has checked
 * the package; it is never packed. dist is emptied first, so that no file of a deleted source is
 * packed.
 */

import { readFileSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { buildCode } from "./build/code.mjs";
import { buildDeclarations } from "./build/declarations.mjs";
import { executeTool } from "./steps.mjs";

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const { exports, private: isPrivate, version } = manifest;
rmSync("dist", { recursive: true, force: true });
const options = { cwd: process.cwd(), show: true };
const { code } = await executeTool("typescript/bin/tsc", ["--build", "--pretty"], options);
if (code !== 0) process.exitCode = 1;
else if (!isPrivate) {
  const names = Object.values(exports)
    .map(({ default: entry }) => entry?.default)
    .filter((file) => file !== undefined)
    .map((file) => basename(file, ".cjs"));
  const entries = (folder, ending) =>
    Object.fromEntries(names.map((name) => [name, `${folder}/${name}${ending}`]));
  const { dependencies, peerDependencies, devDependencies } = manifest;
  const isInstalled = (name) => name in { ...dependencies, ...peerDependencies };
  const taken = Object.keys(devDependencies ?? {}).filter((name) => !isInstalled(name));
  await Promise.all([
    buildCode(entries("src", ".ts"), "dist", { version, taken }),
    buildDeclarations(entries("dist/unbundled", ".d.ts"), "dist"),
  ]);
}
