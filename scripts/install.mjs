/**
 * Installs what the lock file asks for, and only when that is not already there.
 *
 * npm leaves its own record of what it installed inside node_modules. As long as that record and
 * package-lock.json name the same packages there is nothing to do and no network is needed, also
 * when it was a plain `npm install` that brought them.
 */

import { readFileSync } from "node:fs";
import { execute, ROOT, say } from "./steps.mjs";

/**
 * Returns whether the dependencies are in place, of the repository or of a folder with a lock file of its
 * own; says what it does while it does it.
 */
export async function install(folder = "") {
  const reason = reasonToInstall(folder);
  if (reason === undefined) return true;
  say(`▸ install dependencies${folder && ` of ${folder}`}: npm ci, because ${reason}`);
  const args = ["ci", "--no-audit", "--no-fund"];
  const { code } = await execute("npm", args, { cwd: `${ROOT}${folder}`, show: true });
  if (code !== 0) say("  FAILED: npm ci. It needs the network once; its own words are above.");
  return code === 0;
}

function reasonToInstall(folder) {
  const wanted = packagesIn(`${folder}package-lock.json`);
  const installed = packagesIn(`${folder}node_modules/.package-lock.json`);
  if (wanted === undefined) return "package-lock.json is missing";
  if (installed === undefined) return "nothing is installed yet";
  for (const [path, { version, integrity, link, optional }] of Object.entries(wanted)) {
    if (!path.includes("node_modules/")) continue; // The workspaces themselves.
    const found = installed[path];
    if (found === undefined && optional === true) continue; // Built for another platform.
    if (found?.version !== version || found?.integrity !== integrity || found?.link !== link) {
      return `${path.replace(/^node_modules\//, "")} in package-lock.json is new or has changed`;
    }
  }
  return undefined;
}

function packagesIn(lockFile) {
  try {
    return JSON.parse(readFileSync(`${ROOT}/${lockFile}`, "utf8")).packages;
  } catch {
    return undefined;
  }
}
