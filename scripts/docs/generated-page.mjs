/** Compares a page that is generated from the sources with its file, or writes it. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { textOf } from "../file-text.mjs";
import { ROOT } from "../steps.mjs";

/** The problem of a page in words; null if there is none, or the page was written. */
export function bringUpToDate(file, wanted, source, update) {
  if (textOf(join(ROOT, file)) === wanted) return null;
  if (!update) return `${file} is not what ${source} says`;
  writeFileSync(join(ROOT, file), wanted);
  return null;
}
