/** The Markdown pages of the repository and their code fences. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../steps.mjs";

const SKIPPED = new Set(["node_modules", "dist", "temp", "coverage"]);

/**
 * Every page as `{ file, lines }`, the file relative to the root. Change notes are not pages, nor
 * are the changelogs made from them.
 */
export function pages() {
  return filesIn("")
    .filter((file) => file.endsWith(".md") && !/\.api\.md$|\/CHANGELOG\.md$/.test(file))
    .map((file) => ({ file, lines: readFileSync(join(ROOT, file), "utf8").split("\n") }));
}

function filesIn(folder) {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith(".") || SKIPPED.has(entry.name)) return [];
    const path = `${folder}${entry.name}`;
    return entry.isDirectory() ? filesIn(`${path}/`) : [path];
  });
}

/**
 * The fenced blocks of a page as `{ info, line, lines }`, where `line` is the index of the first
 * line of code, and the page's other lines with the blocks blanked out. A block without an end is
 * `unclosed`.
 */
export function splitFences(lines) {
  const blocks = [];
  const prose = [...lines];
  /** @type {{ mark: string, info: string, line: number, lines: string[] } | undefined} */
  let open;
  for (const [index, line] of lines.entries()) {
    const fence = /^\s*(`{3,}|~{3,})\s*(.*)$/.exec(line);
    if (open !== undefined || fence !== null) prose[index] = "";
    if (open === undefined && fence !== null) {
      open = { mark: fence[1], info: fence[2].trim(), line: index + 1, lines: [] };
    } else if (open !== undefined && fence?.[1].startsWith(open.mark) && fence[2] === "") {
      blocks.push(open);
      open = undefined;
    } else {
      open?.lines.push(line);
    }
  }
  return { blocks, prose, unclosed: open };
}
