/**
 * A page that is made from the sources: compared with them, or written.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { textOf } from "../file-text.mjs";
import { ROOT } from "../steps.mjs";

/** What is wrong with a page, in words; null if nothing is, as after it has been written. */
export function bringUpToDate(file, wanted, source, update) {
  if (textOf(join(ROOT, file)) === wanted) return null;
  if (!update) return `${file} is not what ${source} says`;
  writeFileSync(join(ROOT, file), wanted);
  return null;
}
