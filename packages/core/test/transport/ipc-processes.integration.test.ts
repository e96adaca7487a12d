import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SCRIPT = fileURLToPath(new URL("ipc-process.mjs", import.meta.url));

/**
 * Runs the script in a process of its own; what it and its children printed, once all have ended.
 */
function run(...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [SCRIPT, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  child.stdout.on("data", (bytes) => {
    printed += String(bytes);
  });
  child.stderr.on("data", (bytes) => {
    printed += String(bytes);
  });
  return new Promise((resolve) => child.once("close", () => resolve(printed)));
}

describe("processes of one machine receive each other", () => {
  it("however they were started: on their own, forked, as workers of node:cluster, and as threads", async () => {
    const namespace = randomBytes(8).toString("hex");
    const expected = "7";
    const printed = await Promise.all([
      run("alone", namespace, expected),
      run("alone", namespace, expected),
      run("fork", namespace, expected),
      run("cluster", "3", namespace, expected),
      run("thread", namespace, expected),
      run("thread", namespace, expected),
    ]);
    expect(printed.join("")).toBe("all\n".repeat(8));
  });
});
