/**
 * Writes the page of error codes from the table in the sources, which is the only one there is.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { textOf } from "../file-text.mjs";
import { ROOT } from "../steps.mjs";

const PAGE = "docs/reference/errors.md";
const TABLE = "packages/core/dist/errors.js";

/** Compares the page with the table, or with `update` writes it. Needs a build. */
export async function errorsPage(update) {
  const { ERROR_CODES } = await import(pathToFileURL(join(ROOT, TABLE)).href);
  const wanted = pageOf(ERROR_CODES);
  if (textOf(join(ROOT, PAGE)) === wanted) return { code: 0 };
  if (!update) return { code: 1, output: `${PAGE} is not what packages/core/src/errors.ts says` };
  writeFileSync(join(ROOT, PAGE), wanted);
  return { code: 0 };
}

function pageOf(codes) {
  const sections = Object.entries(codes).map(
    ([code, { meaning, remedy }]) => `## ${code}\n\n${meaning}\n\n**What to do:** ${remedy}\n`,
  );
  return `# Errors

A mistake in how tidegate is called throws a \`TidegateError\` where the mistake is made. Its message
names the option, what it must be and what it was given; its \`code\` is one of the following and
never changes its meaning. Being limited is not an error: that is a decision with
\`allowed: false\`.

${sections.join("\n")}`;
}
