/**
 * The packages of this repository, read from their manifests.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { ROOT } from "./steps.mjs";

/** Name, folder and manifest of every package under packages/, in alphabetical order. */
function packages() {
  return readdirSync(`${ROOT}/packages`)
    .sort()
    .map((entry) => `${ROOT}/packages/${entry}`)
    .filter((folder) => existsSync(`${folder}/package.json`))
    .map((folder) => {
      const manifest = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
      return { name: manifest.name, folder, manifest };
    });
}

/** The packages that users can install. */
export function publishedPackages() {
  return packages().filter(({ manifest }) => manifest.private !== true);
}
