/** Reads a file that may be missing. */

import { readFileSync } from "node:fs";

/** The text of a file, empty if there is none. */
export function textOf(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
