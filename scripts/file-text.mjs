/**
 * What stands in a file that may not be there yet.
 */

import { readFileSync } from "node:fs";

/** The text of a file, empty if there is none. */
export function textOf(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
