/**
 * The code of a package: one CommonJS file for each entry, shared code in files of its own, and a
 * thin ES module around each entry.
 *
 * `import` and `require` load the same CommonJS files, so a process never gets two copies. Names
 * stay as in the sources, so stack traces are readable without source maps.
 */

import { copyFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { rolldown } from "rolldown";

/**
 * Bundles the entries, `{ name: source }`, into `folder`. The code contains the version. Imports
 * from the packages in `taken` become part of the code, with their licenses beside it.
 */
export async function buildCode(entries, folder, { version, taken }) {
  const bundle = await rolldown({
    input: entries,
    platform: "node",
    transform: { define: { TIDEGATE_VERSION: JSON.stringify(version) } },
    external: (id) => !/^[./]/.test(id) && !taken.includes(id),
    onLog: (_level, log) => {
      throw new Error(log.message);
    },
  });
  const { output } = await bundle.write({
    dir: folder,
    format: "cjs",
    exports: "named",
    esModule: false,
    strict: true,
    generatedCode: { symbols: false },
    comments: false,
    entryFileNames: "[name].cjs",
    chunkFileNames: "shared/[name].cjs",
    plugins: [builtinsByName, functionAsModule],
  });
  for (const name of taken.filter((name) => isPartOf(output, name))) {
    copyFileSync(`../../node_modules/${name}/LICENSE`, `${folder}/LICENSE.${name}`);
  }
  for (const chunk of output) {
    if (chunk.type !== "chunk" || !chunk.isEntry) continue;
    writeFileSync(`${folder}/${chunk.name}.mjs`, wrapperOf(chunk.fileName, chunk.exports));
  }
}

function isPartOf(output, name) {
  const folder = `/node_modules/${name}/`;
  return output.some(({ moduleIds = [] }) => moduleIds.some((id) => id.includes(folder)));
}

/** An ES module has no `require`, but the bundler does not bundle Node's own modules. */
const builtinsByName = {
  name: "builtins-by-name",
  renderChunk: (code) =>
    code.replace(/\brequire\(("node:[^"]+")\)/g, "process.getBuiltinModule($1)"),
};

/** `require` returns the default export, as in the packages that these replace. */
const functionAsModule = {
  name: "function-as-module",
  renderChunk: (code, { exports }) =>
    exports.includes("default") ? `${code}\nmodule.exports = exports.default;\n` : null,
};

/** Names every export instead of `*`, because some tools cannot read the exports of CommonJS. */
function wrapperOf(file, exports) {
  const named = exports.filter((name) => name !== "default");
  return [
    `import commonjs from "./${basename(file)}";`,
    `export const { ${named.join(", ")} } = commonjs;`,
    ...(exports.includes("default") ? ["export default commonjs;"] : []),
    "",
  ].join("\n");
}
