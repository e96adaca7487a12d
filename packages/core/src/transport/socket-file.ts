/**
 * The file of a socket that several processes listen at, one after the other.
 *
 * A process that finds another file at the path than the one it created does not receive
 * connections any more. The inode number alone does not tell files apart: file systems reuse it as
 * soon as it is free. Nor does the time of the last change, which moving the file aside changes as
 * well.
 */

import { renameSync, statSync, unlinkSync } from "node:fs";
import type { Server } from "node:net";

/**
 * Identifies the file at the path among all files that were or will be there; empty if there is
 * none.
 */
export function markOf(path: string): string {
  try {
    const { ino, birthtimeNs, ctimeNs } = statSync(path, { bigint: true });
    // Some file systems do not record when a file was created.
    return `${ino} ${birthtimeNs === 0n ? ctimeNs : birthtimeNs}`;
  } catch {
    return "";
  }
}

/** Removes a file that a process left or does not answer at, unless another one is there by now. */
export function removeMarked(path: string, mark: string): void {
  if (mark === "" || process.platform === "win32" || markOf(path) !== mark) return;
  try {
    unlinkSync(path);
  } catch {
    // Another process removed it first.
  }
}

/**
 * Stops listening. The runtime removes the file at the path with it, even if another process
 * created that file in the meantime: such a file is moved aside for that moment.
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
    // No file is there.
  }
  server.close();
  try {
    if (isAside) renameSync(aside, path);
  } catch {
    // The process that listens there notices that the file is gone, and creates another.
  }
}
