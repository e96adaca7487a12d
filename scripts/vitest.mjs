/** Runs vitest and returns its count of passed, failed and skipped tests. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execute, ROOT } from "./steps.mjs";

/**
 * Resolves to `{ passed, failed, skipped }`. A run that fails without a report counts as one
 * failure. `runtime` is the program and leading arguments that run vitest's script.
 */
export async function runVitest(
  args,
  { runtime = [process.execPath], env = {}, show = true } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), "tidegate-tally-"));
  const tallyFile = join(folder, "tally.json");
  const [program, ...leading] = runtime;
  try {
    const { code, output } = await execute(
      program,
      [
        ...leading,
        `${ROOT}/node_modules/vitest/vitest.mjs`,
        "run",
        "--reporter=default",
        `--reporter=${ROOT}/scripts/tally-reporter.mjs`,
        ...args,
      ],
      { env: { ...env, TIDEGATE_TALLY_FILE: tallyFile }, show },
    );
    const tally = readTally(tallyFile);
    if (code !== 0 && tally.failed === 0) tally.failed = 1;
    return { ...tally, output };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readTally(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return { passed: 0, failed: 1, skipped: 0 }; // It ended before it could report.
  }
}
