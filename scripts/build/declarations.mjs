/**
 * The types of a package: one declaration file for each entry, shared declarations in files of
 * their own, and a thin file for the ES module around each entry, so that nothing is declared
 * twice.
 *
 * An entry whose default export is a function is written with `export =`, and everything else is in
 * a namespace of that function: `import limit = require(…)`, `import * as limit` and
 * `limit.Options` compile as with the packages that these replace. TypeScript 5.4 reads all of it.
 */

import { writeFileSync } from "node:fs";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";

/** Bundles the declarations of the entries, `{ name: declarations }`, into `folder`. */
export async function buildDeclarations(entries, folder) {
  const bundle = await rollup({
    input: entries,
    external: (id) => !/^[./]/.test(id),
    plugins: [dts()],
    onLog: (_level, log) => {
      throw new Error(log.message);
    },
  });
  const { output } = await bundle.write({
    dir: folder,
    format: "es",
    minifyInternalExports: false,
    entryFileNames: "[name].d.cts",
    chunkFileNames: ({ name }) => `shared/${name.replace(/\.d$/, "")}.d.cts`,
    plugins: [functionAsModule],
  });
  for (const chunk of output) {
    if (chunk.type !== "chunk" || !chunk.isEntry) continue;
    const { name, exports } = chunk;
    const names = exports.includes("default") ? `{ ${exports.join(", ")} }` : "*";
    writeFileSync(`${folder}/${name}.d.mts`, `export ${names} from "./${name}.cjs";\n`);
  }
}

const EXPORTS = /^export (type )?(\{[^}]*\})( from '[^']*')?;\n?/gm;

/** Puts everything that a module exports into the namespace of its function. */
const functionAsModule = {
  name: "function-as-module",
  renderChunk(code, { fileName, exports }) {
    if (!exports.includes("default")) return null;
    const name = /\b(\w+) as default\b/.exec(code)?.[1];
    if (!new RegExp(`^declare function ${name}\\b`, "m").test(code)) {
      throw new Error(`${fileName}: a default export must be a function, to have a namespace`);
    }
    const members = [];
    const rest = code.replace(EXPORTS, (_statement, type = "", names, from = "") => {
      const own = from === "" ? names : names.replace(/\w+ as /g, "");
      members.push(`    export ${type}${own};`);
      return from === "" ? "" : `import ${type}${names}${from};\n`;
    });
    return [
      rest.trimEnd(),
      `declare namespace ${name} {\n${members.join("\n")}\n}`,
      `export = ${name};\n`,
    ].join("\n\n");
  },
};
