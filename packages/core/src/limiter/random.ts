/** Random bits that nobody outside of this process can guess. */

import { randomBytes } from "node:crypto";

const BYTES = 4;

/** 32 of them. */
export function random32(): number {
  return randomBytes(BYTES).readInt32LE();
}
