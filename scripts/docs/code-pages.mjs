/**
 * Writes the pages of codes from the tables in the sources, which are the only ones there are.
 */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "../steps.mjs";
import { bringUpToDate } from "./generated-page.mjs";

const PAGES = [
  {
    file: "docs/reference/errors.md",
    table: "errors",
    name: "ERROR_CODES",
    head: `# Errors

A mistake in how tidegate is called throws a \`TidegateError\` where the mistake is made. Its message
names the option, what it must be and what it was given; its \`code\` is one of the following and
never changes its meaning. Being limited is not an error: that is a decision with
\`allowed: false\`.
`,
  },
  {
    file: "docs/reference/warnings.md",
    table: "http/warnings",
    name: "WARNING_CODES",
    head: `# Warnings

The middleware for web frameworks finds some mistakes only at work. It says each once. A \`logger\` gets a
\`TidegateWarning\`. Without one, \`process.emitWarning\` emits a warning with that \`name\`, and with its cause
as \`detail\`. Its \`code\` is one of the following. No warning changes what becomes of a request. With
\`validate: false\` none is said, and with \`validate: { <name>: false }\` those of that name are not.
`,
  },
];

/** Compares the pages with the tables, or with `update` writes them. Needs a build. */
export async function codePages(update) {
  const wrong = [];
  for (const page of PAGES) {
    const built = pathToFileURL(join(ROOT, `packages/core/dist/${page.table}.js`)).href;
    const wanted = pageOf(page.head, (await import(built))[page.name]);
    const stale = bringUpToDate(page.file, wanted, `packages/core/src/${page.table}.ts`, update);
    if (stale !== null) wrong.push(stale);
  }
  return { code: wrong.length === 0 ? 0 : 1, output: wrong.join("\n") };
}

function pageOf(head, codes) {
  const sections = Object.entries(codes).map(
    ([code, { meaning, remedy, switch: by }]) =>
      `## ${code}\n\n${meaning}\n\n**What to do:** ${remedy}\n` +
      (by === undefined ? "" : `\n**Switched off by:** \`${by}\`\n`),
  );
  return `${head}\n${sections.join("\n")}`;
}
