/**
 * Gives all packages their next version from the change notes, and makes adapters require that
 * version of core.
 *
 * The lock file contains the versions of the packages as well, and is updated.
 *
 * Changesets treats a peer dependency outside of its range as a breaking change, and an exact peer
 * is outside with every version. So peers are open ranges while it decides, and exact afterwards.
 */

import { writeFileSync } from "node:fs";
import { execute, executeTool, say } from "./steps.mjs";
import { publishedPackages } from "./workspaces.mjs";

const CORE = "@tidegate/core";

setPeers(() => ">=0.0.0");
const { code, output } = await executeTool("@changesets/cli/bin.js", ["version"]);
setPeers(({ version }) => version);
say(output.trimEnd());
const locked = await execute("npm", ["install", "--package-lock-only", "--ignore-scripts"]);
if (locked.code !== 0) say(locked.output.trimEnd());
process.exitCode = code || locked.code;

function setPeers(rangeOf) {
  for (const { folder, manifest } of publishedPackages()) {
    if (manifest.peerDependencies?.[CORE] === undefined) continue;
    manifest.peerDependencies[CORE] = rangeOf(manifest);
    writeFileSync(`${folder}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
  }
}
