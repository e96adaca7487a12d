/**
 * Where the processes of one user on one machine meet: a socket's path that all of them compute, in
 * a folder that nobody else can enter.
 */

import { createHash } from "node:crypto";
import { lstatSync, mkdirSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

const PRIVATE = 0o700;
const OTHERS = 0o077;
/** Paths of sockets end soon: at 104 bytes on some systems. */
const NAME_DIGITS = 24;

/** The path for a namespace; throws a sentence when its folder is not private. */
export function meetingPlace(namespace: string): string {
  const { uid, username } = userInfo();
  const name = createHash("sha256").update(namespace).digest("hex").slice(0, NAME_DIGITS);
  if (process.platform === "win32") return `\\\\.\\pipe\\tidegate-${username}-${name}`;
  const folder = join(process.env["XDG_RUNTIME_DIR"] ?? tmpdir(), `tidegate-${uid}`);
  mkdirSync(folder, { recursive: true, mode: PRIVATE });
  const stat = lstatSync(folder);
  // In a folder that all may write to, somebody may have been here before us.
  if (!stat.isDirectory() || stat.uid !== uid || (stat.mode & OTHERS) !== 0) {
    throw new Error(`${folder} must be a folder of this user that nobody else can enter`);
  }
  return join(folder, name);
}
