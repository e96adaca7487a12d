/**
 * The socket path where the processes of one user on one machine meet. All of them compute the same
 * path, in a folder that no other user can enter.
 *
 * Processes listen there one after the other. A process that finds another file at the path than
 * its own does not receive connections any more. The inode number alone does not distinguish files:
 * file systems reuse it as soon as it is free. The time of the last change does not either, because
 * it also changes when the file is moved aside.
 *
 * The path is never longer than a socket's path may be: the runtime would truncate it silently, and
 * the shorter path may belong to another user.
 */

import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, renameSync, statSync, unlinkSync } from "node:fs";
import type { Server } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

const PRIVATE = 0o700;
const OTHERS = 0o077;
/** What all systems accept: 104 bytes on some, the last of which ends the path. */
const PATH_BYTES_MAX = 103;
const NAME_DIGITS = 24;
/** With fewer digits, two namespaces of one user could meet by chance. */
const NAME_DIGITS_MIN = 12;

/**
 * The path for a namespace; throws a sentence when its folder cannot be created or is not private.
 */
export function meetingPlace(namespace: string): string {
  const name = createHash("sha256").update(namespace).digest("hex");
  if (process.platform === "win32") {
    return `\\\\.\\pipe\\tidegate-${userInfo().username}-${name.slice(0, NAME_DIGITS)}`;
  }
  // The user id, not the name: in containers, users often have no name.
  const uid = process.getuid!();
  const folder = join(parent(), `tidegate-${uid}`);
  const digits = Math.min(PATH_BYTES_MAX - Buffer.byteLength(join(folder, "/")), NAME_DIGITS);
  if (digits < NAME_DIGITS_MIN) {
    throw new Error(
      `${folder} is too long for the path of a socket: set XDG_RUNTIME_DIR to a shorter folder, the same for all processes`,
    );
  }
  makeFolder(folder);
  const stat = lstatSync(folder);
  // In a folder that all users may write to, another user may have created it first.
  if (!stat.isDirectory() || stat.uid !== uid || (stat.mode & OTHERS) !== 0) {
    throw new Error(`${folder} must be a folder of this user that no other user can enter`);
  }
  return join(folder, name.slice(0, digits));
}

/**
 * Not with `recursive`: the runtime's own recursion never ends where nothing can be created, as in
 * /proc.
 */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: PRIVATE });
  } catch (error) {
    const { code } = error as { readonly code?: string };
    if (code === "EEXIST") return;
    const above = dirname(folder);
    if (code !== "ENOENT" || existsSync(above)) {
      throw new Error(
        `${folder} cannot be created (${code}): set XDG_RUNTIME_DIR to a folder in which this user may create folders`,
      );
    }
    makeFolder(above);
    makeFolder(folder);
  }
}

/** An empty or relative variable is ignored: other processes would resolve it differently. */
function parent(): string {
  const given = process.env["XDG_RUNTIME_DIR"];
  if (given !== undefined && isAbsolute(given)) return given;
  const temporary = tmpdir();
  return isAbsolute(temporary) ? temporary : "/tmp";
}

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
