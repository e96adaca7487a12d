/**
 * Bundles the packages as `import` and as `require` reach them, and runs the exercise with the bundle.
 *
 * The bundle lies where no package is installed, so that it works only if everything is in it.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import exercise from "./cjs/exercise.js";

const [tool, format] = process.argv.slice(2);
const input = fileURLToPath(new URL("esm/both.js", import.meta.url));

/** Each writes one file; `format` is esm or cjs. */
const BUNDLERS = {
  async esbuild(file) {
    const { build } = await import("esbuild");
    await build({
      ...{ entryPoints: [input], outfile: file, bundle: true, platform: "node", format },
      logLevel: "error",
    });
  },

  async rollup(file) {
    const { rollup } = await import("rollup");
    const { default: nodeResolve } = await import("@rollup/plugin-node-resolve");
    const { default: commonjs } = await import("@rollup/plugin-commonjs");
    const plugins = [nodeResolve({ preferBuiltins: true }), commonjs()];
    const bundle = await rollup({ input, plugins, external: [/^node:/, ...builtinModules] });
    await bundle.write({ file, format, inlineDynamicImports: true, exports: "named" });
  },

  async webpack(file, folder) {
    const { default: webpack } = await import("webpack");
    const isModule = format === "esm";
    const compiler = webpack({
      ...{ entry: input, target: "node20", mode: "production", devtool: false },
      optimization: { minimize: false },
      experiments: { outputModule: isModule },
      output: {
        ...{ path: folder, filename: file.slice(folder.length + 1), module: isModule },
        library: { type: isModule ? "module" : "commonjs2" },
      },
    });
    const stats = await new Promise((resolve, reject) => {
      compiler.run((error, result) => (error ? reject(error) : resolve(result)));
    });
    if (stats.hasErrors() || stats.hasWarnings())
      throw new Error(stats.toString("errors-warnings"));
  },

  /** A server build, as of an application. */
  async "vite-server"(file, folder) {
    await vite(folder, { ssr: input, rollupOptions: { output: outputOf(file, folder) } });
  },

  /** A library for Node. */
  async "vite-library"(file, folder) {
    const lib = { entry: input, formats: [format === "esm" ? "es" : "cjs"] };
    await vite(folder, { lib, ssr: true, rollupOptions: { output: outputOf(file, folder) } });
  },
};

function outputOf(file, folder) {
  const entryFileNames = file.slice(folder.length + 1);
  return { format: format === "esm" ? "es" : "cjs", entryFileNames, exports: "named" };
}

async function vite(folder, build) {
  const { build: run } = await import("vite");
  await run({
    ...{ configFile: false, logLevel: "error", ssr: { noExternal: true } },
    build: { ...build, outDir: folder, minify: false, target: "node20" },
  });
}

const folder = mkdtempSync(join(tmpdir(), "tidegate-bundle-"));
try {
  const file = join(folder, format === "esm" ? "bundle.mjs" : "bundle.cjs");
  await BUNDLERS[tool](file, folder);
  const bundle = await import(pathToFileURL(file).href);
  const { imported, required } = bundle.imported === undefined ? bundle.default : bundle;
  await exercise({ imported, required });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
