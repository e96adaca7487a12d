/**
 * Two services under PM2, one as workers of its cluster mode and one as forked processes: each of
 * them must know what all processes of its own service have counted, and no more.
 *
 * The arguments are the command that runs PM2.
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const PROCESSES = 3;
const PART = 7;
const PATIENCE_MS = 60_000;

const [program, ...first] = process.argv.slice(2);
const home = mkdtempSync(join(tmpdir(), "tidegate-pm2-"));
const pm2 = (args, env = {}) =>
  execFileSync(program, [...first, ...args], {
    env: { ...process.env, PM2_HOME: join(home, "pm2"), ...env },
    stdio: ["ignore", "ignore", "inherit"],
  });

let code = 0;
try {
  for (const mode of ["cluster", "fork"]) {
    const out = mkdtempSync(join(home, `${mode}-`));
    const flags = mode === "cluster" ? ["-i", String(PROCESSES)] : [];
    const names =
      mode === "cluster" ? [mode] : Array.from({ length: PROCESSES }, (_, n) => `fork${n}`);
    for (const name of names) {
      pm2(["start", "pm2/service.cjs", "--name", name, ...flags], {
        ...{ NAMESPACE: `${mode}-${process.pid}`, OUT: out },
        ...{ PART: String(PART), EXPECTED: String(PART * PROCESSES) },
      });
    }
    const until = Date.now() + PATIENCE_MS;
    while (readdirSync(out).length < PROCESSES && Date.now() < until) await sleep(100);
    const agreed = readdirSync(out).length;
    process.stdout.write(`${mode}: ${agreed} of ${PROCESSES} processes know of all\n`);
    if (agreed !== PROCESSES) code = 1;
  }
} finally {
  pm2(["kill"]);
  rmSync(home, { recursive: true, force: true });
}
process.exitCode = code;
