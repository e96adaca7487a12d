/**
 * One step of a command: announced before it runs, judged by its exit code, and timed.
 *
 * A step prints nothing while it succeeds, unless it streams its output. The output of a failing
 * step is always printed in full.
 */

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Switches off telemetry of tools, whatever the user's own settings are. */
const QUIET_TOOLS = {
  DO_NOT_TRACK: "1",
  TURBO_TELEMETRY_DISABLED: "1",
  TURBO_NO_UPDATE_NOTIFIER: "1",
};

export function say(line) {
  process.stdout.write(`${line}\n`);
}

/** Runs one program to its end and returns its exit code and output. */
export function execute(program, args, { cwd = ROOT, env = {}, show = false } = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...QUIET_TOOLS, ...env },
      stdio: ["ignore", show ? "inherit" : "pipe", show ? "inherit" : "pipe"],
      shell: process.platform === "win32" && program === "npm",
    });
    const chunks = [];
    child.stdout?.on("data", (chunk) => chunks.push(chunk));
    child.stderr?.on("data", (chunk) => chunks.push(chunk));
    child.on("error", (error) => resolve({ code: 1, output: `${program}: ${error.message}` }));
    child.on("close", (code, signal) => {
      const ended = signal === null ? "" : `\n${program} was ended by ${signal}`;
      resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString() + ended });
    });
  });
}

/** Runs the script of an installed package by its path, which works the same on every platform. */
export function executeTool(script, args, options) {
  return execute(process.execPath, [`${ROOT}/node_modules/${script}`, ...args], options);
}

/**
 * Runs `work`, which resolves to `{ code, output? }`, prints the result and returns whether it
 * succeeded.
 */
export async function step(title, work) {
  say(`▸ ${title}`);
  const startedAt = performance.now();
  const { code, output = "" } = await work().catch((error) => ({ code: 1, output: error.stack }));
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (code !== 0 && output.trim() !== "") say(output.trimEnd());
  say(code === 0 ? `  ok, ${seconds} s` : `  FAILED after ${seconds} s: ${title}`);
  return code === 0;
}
