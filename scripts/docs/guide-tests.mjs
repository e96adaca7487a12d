/**
 * Writes the test files that a guide shows, so that each test runner can run them and verify the
 * guide.
 *
 * A block that begins with a comment such as `// limits.test.ts` is a file of that name, in a
 * folder named by the heading above it.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../steps.mjs";
import { splitFences } from "./pages.mjs";

const PAGE = "docs/guides/testing-your-app.md";
const FILE_NAME = /^\/\/ ([\w.-]+\.[jt]s)$/;

/** Writes every file that the page shows, below a folder. */
export function writeGuideTests(folder) {
  const { blocks, prose } = splitFences(readFileSync(join(ROOT, PAGE), "utf8").split("\n"));
  for (const { line, lines } of blocks) {
    const name = FILE_NAME.exec(lines[0] ?? "")?.[1];
    if (name === undefined) continue;
    const heading = prose.slice(0, line).findLast((text) => text.startsWith("## ")) ?? "";
    const section = join(folder, heading.slice("## ".length).toLowerCase());
    mkdirSync(section, { recursive: true });
    writeFileSync(join(section, name), `${lines.join("\n")}\n`);
  }
}
