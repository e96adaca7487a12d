/**
 * Installs the packages of the lock file, if they are not already installed.
 *
 * npm keeps its own record of what it installed inside node_modules. While that record and
 * package-lock.json name the same packages, there is nothing to do and no network is needed, also
 * after a plain `npm install`.
 */

import { readFileSync } from "node:fs";
import { execute, ROOT, say } from "./steps.mjs";

/**
 * Returns whether the dependencies are installed, of the repository or of a folder with a lock file
 * of its own; prints what it does.
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
