/**
 * The file of a socket that many processes may listen at, one after the other.
 *
 * Who finds another file at the path than the one it made does not listen for anybody any more. Its
 * number alone does not tell them apart: file systems give it to the next file as soon as it is free.
 * Nor does the time of its last change, which moving it aside changes as well.
 */

import { renameSync, statSync, unlinkSync } from "node:fs";
import type { Server } from "node:net";

/** What tells the file at the path from any other there was or will be; empty if there is none. */
export function markOf(path: string): string {
  try {
    const { ino, birthtimeNs, ctimeNs } = statSync(path, { bigint: true });
    // Some file systems do not know when a file was made.
    return `${ino} ${birthtimeNs === 0n ? ctimeNs : birthtimeNs}`;
  } catch {
    return "";
  }
}

/** Removes the file that somebody left or does not answer at, unless another is there by now. */
export function removeMarked(path: string, mark: string): void {
  if (mark === "" || process.platform === "win32" || markOf(path) !== mark) return;
  try {
    unlinkSync(path);
  } catch {
    // Somebody else was faster.
  }
}

/**
 * Stops listening. The runtime takes the file at the path away with it, whosever that is by now: one
 * that somebody else has made in the meantime is moved aside for that moment.
 */
export function closeAt(server: Server, path: string, mark: string): void {
  const aside = `${path}.${process.pid}`;
  let isAside = false;
  try {
    if (markOf(path) !== mark) {
      renameSync(path, aside);
      isAside = true;
    }
  } catch {
    // There is no file.
  }
  server.close();
  try {
    if (isAside) renameSync(aside, path);
  } catch {
    // Whoever listens there notices that it has gone, and makes another.
  }
}
