/**
 * A copy of the working tree that can be broken on purpose.
 *
 * Nothing in the copy links back to this tree: packages that are linked in `node_modules` are the
 * copy's own. Other dependencies are links, so a copy takes a fraction of a second.
 */

import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { ROOT } from "./steps.mjs";

const NEVER_COPIED = new Set(["node_modules", "temp", ".git", ".cache", ".turbo"]);

/**
 * Copies the tree into an empty folder: the root entries that `takes` accepts, except those in
 * `without`.
 *
 * @param {string} copy
 * @param {{ takes?: (entry: string) => boolean, without?: string[] }} [options]
 */
export function copyTree(copy, { takes = () => true, without = [] } = {}) {
  const skipped = new Set([...NEVER_COPIED, ...without]);
  const filter = (path) => !skipped.has(basename(path));
  for (const entry of readdirSync(ROOT)) {
    if (!skipped.has(entry) && takes(entry)) {
      cpSync(join(ROOT, entry), join(copy, entry), { recursive: true, filter });
    }
  }
  linkModules(copy);
}

/**
 * Gives a copy of a tree the packages that are installed in that tree, as links, and its own
 * packages in the place of those that the tree links.
 */
export function linkModules(copy, tree = ROOT) {
  const modules = join(tree, "node_modules");
  mkdirSync(join(copy, "node_modules/@tidegate"), { recursive: true });
  const link = (to, name) => symlinkSync(to, join(copy, "node_modules", name), "junction");
  for (const name of readdirSync(modules)) {
    if (name !== "@tidegate" && !name.startsWith(".")) link(join(modules, name), name);
  }
  for (const name of readdirSync(join(copy, "packages"))) {
    link(join(copy, "packages", name), `@tidegate/${name}`);
  }
  // npm's own record of what it installed.
  cpSync(join(modules, ".package-lock.json"), join(copy, "node_modules/.package-lock.json"));
}
