/**
 * Builds the package in the current folder: ES modules into dist, CommonJS into dist/cjs.
 *
 * Node and Deno load the ES modules by `import` and by `require`, through the `module-sync`
 * condition. dist/cjs is for what does not know that condition, such as Bun and Jest's CommonJS
 * mode: there too `import` must reach the same single copy as `require`, since two copies of a
 * limiter would be two budgets, and so every entry gets a thin ES module around its CommonJS file.
 *
 * dist is emptied first, so that nothing of a deleted source file is ever packed.
 */

import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { executeTool } from "./steps.mjs";

const AS_COMMONJS = {
  "--module": "commonjs",
  "--moduleResolution": "bundler",
  "--verbatimModuleSyntax": "false",
  "--composite": "false",
  "--incremental": "false",
  "--tsBuildInfoFile": "null",
  "--outDir": "dist/cjs",
};

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
rmSync("dist", { recursive: true, force: true });
const built =
  (await compile(["--build"])) &&
  (manifest.private || (await compile(["--project", ".", ...Object.entries(AS_COMMONJS).flat()])));
if (!built) process.exitCode = 1;
else if (!manifest.private) {
  for (const entry of Object.values(manifest.exports)) exportAsModule(entry.default);
  await wrapCommonJs();
}

async function compile(args) {
  const options = { cwd: process.cwd(), show: true };
  return (await executeTool("typescript/bin/tsc", [...args, "--pretty"], options)).code === 0;
}

/**
 * What an entry exports under the name `module.exports` is what `require` returns. Node does so for ES
 * modules by that name; in CommonJS it has to be said.
 */
function exportAsModule(file) {
  const name = '"module.exports"';
  if (file === undefined || !readFileSync(file, "utf8").includes(`exports[${name}]`)) return;
  appendFileSync(file, `\nmodule.exports = exports[${name}];\n`);
}

async function wrapCommonJs() {
  writeFileSync("dist/cjs/package.json", '{ "type": "commonjs" }\n');
  for (const entry of Object.values(manifest.exports)) {
    if (entry.import !== undefined) writeFileSync(entry.import, await wrapperOf(entry));
  }
}

/** Names every export instead of saying `*`, which not every tool can see through CommonJS. */
async function wrapperOf(entry) {
  const names = Object.keys(await import(pathToFileURL(entry["module-sync"]).href));
  const named = names.filter((name) => /^\w+$/.test(name) && name !== "default");
  return [
    `import commonjs from "./${basename(entry.default)}";`,
    `export const { ${named.join(", ")} } = commonjs;`,
    ...(names.includes("default") ? ["export default commonjs.default;"] : []),
    "",
  ].join("\n");
}
