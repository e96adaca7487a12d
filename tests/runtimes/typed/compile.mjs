/**
 * Compiles sources of this folder in strict mode, with the declarations of the packages, and fails if there
 * is an error in either. Errors in declarations of others are none of ours.
 *
 * The arguments are the folder of the compiler, the module format, the resolution and the sources.
 */

import { spawnSync } from "node:child_process";
import { join } from "node:path";

const [compiler, module, moduleResolution, ...sources] = process.argv.slice(2);
const options = { module, moduleResolution, target: "es2022", types: "node" };
const { status, stdout, stderr } = spawnSync(
  process.execPath,
  [
    join(compiler, "bin/tsc"),
    ...["--noEmit", "--strict", "--esModuleInterop", "--pretty", "false"],
    ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
    ...sources.map((source) => join("typed", source)),
  ],
  { encoding: "utf8" },
);
const errors = stdout.split("\n").filter((line) => /error TS\d+/.test(line));
const ours = errors.filter((line) => !/node_modules\/(?!@tidegate\/)/.test(line));
if (ours.length > 0 || (status !== 0 && errors.length === 0)) {
  process.stdout.write(stdout + stderr);
  process.exitCode = 1;
}
