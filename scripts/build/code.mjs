/**
 * The code of a package: one CommonJS file for each entry, what entries share in files of their own, and a
 * thin ES module around each entry.
 *
 * `import` and `require` reach the same CommonJS files, so a process never gets two copies. Names stay as
 * they are in the sources, so that stack traces can be read without source maps.
 */

import { copyFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { rolldown } from "rolldown";

/**
 * Bundles the entries, `{ name: source }`, into `folder`. The code knows the version by name. What sources
 * import of the packages in `taken` becomes a part of the code, and their licenses stand beside it.
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

/** A bundle in the ES module format has no `require`, while its bundler leaves Node's own modules out. */
const builtinsByName = {
  name: "builtins-by-name",
  renderChunk: (code) =>
    code.replace(/\brequire\(("node:[^"]+")\)/g, "process.getBuiltinModule($1)"),
};

/** `require` returns what is exported by default, as packages do that these take the place of. */
const functionAsModule = {
  name: "function-as-module",
  renderChunk: (code, { exports }) =>
    exports.includes("default") ? `${code}\nmodule.exports = exports.default;\n` : null,
};

/** Names every export instead of saying `*`, which not every tool can see through CommonJS. */
function wrapperOf(file, exports) {
  const named = exports.filter((name) => name !== "default");
  return [
    `import commonjs from "./${basename(file)}";`,
    `export const { ${named.join(", ")} } = commonjs;`,
    ...(exports.includes("default") ? ["export default commonjs;"] : []),
    "",
  ].join("\n");
}
