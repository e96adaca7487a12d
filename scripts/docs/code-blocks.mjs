/**
 * Type-checks every `ts` block of every page against the packages' sources.
 *
 * Each block is a module of its own. It is written to a file in which it keeps its page's line
 * numbers, so that the compiler's messages point at the page. ` ```ts continued` continues the
 * page's previous block; ` ```ts ignore: reason` is not checked, and gives the reason.
 */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { executeTool, ROOT } from "../steps.mjs";
import { pages, splitFences } from "./pages.mjs";

const FOLDER = ".cache/docs-code";

/** Other names of the language, whose blocks would not be compiled. */
const NOT_COMPILED = /^(typescript|javascript|[mc]?[jt]sx?)$/i;

const TSCONFIG = {
  extends: "../../tsconfig.test.json",
  compilerOptions: {
    moduleDetection: "force",
    noUnusedLocals: false,
    noUnusedParameters: false,
  },
  include: ["."],
};

export async function checkCodeBlocks() {
  const { modules, problems } = modulesOf(pages());
  rmSync(join(ROOT, FOLDER), { recursive: true, force: true });
  for (const { name, lines } of modules) {
    const file = join(ROOT, FOLDER, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, lines.join("\n"));
  }
  if (modules.length > 0) {
    writeFileSync(join(ROOT, FOLDER, "tsconfig.json"), JSON.stringify(TSCONFIG));
    const { code, output } = await executeTool("typescript/bin/tsc", ["--project", FOLDER]);
    if (code !== 0) problems.push(output.replaceAll(`${FOLDER}/`, "").replace(/\.\d+\.ts\(/g, "("));
  }
  return { code: problems.length === 0 ? 0 : 1, output: problems.join("\n") };
}

/** One module per block, padded to its line on the page, plus the problems with the marks. */
function modulesOf(all) {
  const modules = [];
  const problems = [];
  for (const { file, lines } of all) {
    let latest;
    const { blocks, unclosed } = splitFences(lines);
    if (unclosed !== undefined) problems.push(`${file}:${unclosed.line}: this block never ends`);
    for (const block of blocks) {
      const [language, mark, ...rest] = block.info.split(/[\s:]+/);
      const place = `${file}:${block.line}`;
      if (language !== "ts") {
        if (NOT_COMPILED.test(language)) problems.push(`${place}: say 'ts', not '${language}'`);
        continue;
      }
      if (mark === "ignore") {
        if (rest.join("") === "") problems.push(`${place}: 'ts ignore:' needs a reason after it`);
      } else if (mark === "continued" && latest !== undefined) {
        append(latest, block);
      } else if (mark === undefined) {
        latest = { name: `${file}.${block.line}.ts`, lines: [] };
        append(latest, block);
        modules.push(latest);
      } else {
        problems.push(
          `${place}: '${block.info}' is neither ts, ts continued nor ts ignore: reason`,
        );
      }
    }
  }
  return { modules, problems };
}

function append(module, block) {
  while (module.lines.length < block.line) module.lines.push("");
  module.lines.push(...block.lines);
}
