/** Writes the pages of codes from the tables in the sources. */

import { join } from "node:path";
import { ROOT } from "../steps.mjs";
import { bringUpToDate } from "./generated-page.mjs";

const PAGES = [
  {
    file: "docs/reference/errors.md",
    table: "base/errors",
    name: "ERROR_CODES",
    head: `# Errors

If you call tidegate in a wrong way, the call throws a \`TidegateError\`. Its message
names the option, what it must be and what it was. Its \`code\` is one of the following, and
never changes its meaning. Being limited is not an error. It is a decision with
\`allowed: false\`.
`,
  },
  {
    file: "docs/reference/warnings.md",
    table: "http/warning-codes",
    name: "WARNING_CODES",
    head: `# Warnings

The middleware for web frameworks finds some mistakes only at run time. It warns about each once. A \`logger\` gets a
\`TidegateWarning\`. Without a logger, \`process.emitWarning\` emits a warning with that \`name\`, and with its cause
as \`detail\`. Its \`code\` is one of the following. No warning changes what happens to a request.
\`validate: false\` switches off all warnings that do not say otherwise, and \`validate: { <name>: false }\` those of that name.

The middleware does not find every such mistake. For example, it does not find a limiter that a handler makes after its first \`await\`.
`,
  },
];

/** Compares the pages with the tables, or writes them with `update`. */
export async function codePages(update) {
  const wrong = [];
  for (const page of PAGES) {
    const source = `packages/core/src/${page.table}.ts`;
    const wanted = pageOf(page.head, (await importSource(source))[page.name]);
    const stale = bringUpToDate(page.file, wanted, source, update);
    if (stale !== null) wrong.push(stale);
  }
  return { code: wrong.length === 0 ? 0 : 1, output: wrong.join("\n") };
}

/** Imports a source, also on a Node that cannot import TypeScript. */
async function importSource(file) {
  // Missing before the first install, which loads this file first.
  const { rolldown } = await import("rolldown");
  const bundle = await rolldown({ input: join(ROOT, file), platform: "node" });
  const [{ code }] = (await bundle.generate({ format: "es" })).output;
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
}

function pageOf(head, codes) {
  const sections = Object.entries(codes).map(
    ([code, { meaning, remedy, switch: by }]) =>
      `## ${code}\n\n${meaning}\n\n**What to do:** ${remedy}\n` +
      (by === undefined ? "" : `\n**Switched off by:** \`${by}\`\n`),
  );
  return `${head}\n${sections.join("\n")}`;
}
