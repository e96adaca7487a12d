/**
 * Where the processes of one user on one machine meet: a socket's path that all of them compute, in
 * a folder that nobody else can enter.
 *
 * The path is never longer than sockets' paths may be: the runtime would cut it without a word, and
 * what is left of it may be anybody's.
 */

import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

const PRIVATE = 0o700;
const OTHERS = 0o077;
/** What all systems take: 104 bytes on some, the last of which ends the path. */
const PATH_BYTES_MAX = 103;
const NAME_DIGITS = 24;
/** Fewer would let two namespaces of one user meet by chance. */
const NAME_DIGITS_MIN = 12;

/** The path for a namespace; throws a sentence when its folder cannot be, or is not private. */
export function meetingPlace(namespace: string): string {
  const name = createHash("sha256").update(namespace).digest("hex");
  if (process.platform === "win32") {
    return `\\\\.\\pipe\\tidegate-${userInfo().username}-${name.slice(0, NAME_DIGITS)}`;
  }
  // Not by the user's name: in containers, users often have none.
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
  // In a folder that all may write to, somebody may have been here before us.
  if (!stat.isDirectory() || stat.uid !== uid || (stat.mode & OTHERS) !== 0) {
    throw new Error(`${folder} must be a folder of this user that nobody else can enter`);
  }
  return join(folder, name.slice(0, digits));
}

/** Not by the runtime's own recursion, which never ends where nothing can be made, as in /proc. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: PRIVATE });
  } catch (error) {
    const { code } = error as { readonly code?: string };
    if (code === "EEXIST") return;
    const above = dirname(folder);
    if (code !== "ENOENT" || existsSync(above)) {
      throw new Error(
        `${folder} cannot be made (${code}): set XDG_RUNTIME_DIR to a folder in which this user may make others`,
      );
    }
    makeFolder(above);
    makeFolder(folder);
  }
}

/** A variable that is empty or relative says nothing that holds for other processes too. */
function parent(): string {
  const given = process.env["XDG_RUNTIME_DIR"];
  if (given !== undefined && isAbsolute(given)) return given;
  const temporary = tmpdir();
  return isAbsolute(temporary) ? temporary : "/tmp";
}
