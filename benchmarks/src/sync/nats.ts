/**
 * A nats-server of this run: found or fetched by the repository's own script, on any free port of
 * this machine, and ends with the process that started it.
 */

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execPath } from "node:process";
import { fileURLToPath } from "node:url";

/** From a copy of this code as well, which lies below this repository. */
const ROOT = new URL("../", import.meta.resolve("@tidegate/benchmarks/package.json"));
const FINDER = fileURLToPath(new URL("scripts/nats-server.mjs", ROOT));
/** Kills the program and removes its folder when its own input ends, as it does with this process. */
const GUARD = fileURLToPath(new URL("packages/testkit/src/nats/guard.sh", ROOT));
const PORT = /Listening for client connections on [\d.]+:(\d+)\n/;
const READY = / Server is ready\n/;
const PATIENCE_MS = 10_000;

export interface Server {
  readonly url: string;
  stop(): void;
}

/** Starts a server; resolves when clients can connect. */
export async function startServer(): Promise<Server> {
  const program =
    process.env["NATS_SERVER"] || execFileSync(execPath, [FINDER], { encoding: "utf8" }).trim();
  const folder = mkdtempSync(join(tmpdir(), "tidegate-bench-"));
  const args = [GUARD, folder, program, "-a", "127.0.0.1", "-p", "-1"];
  const child = spawn("sh", args, { stdio: ["pipe", "ignore", "pipe"] });
  const stop = (): void => {
    child.stdin.end();
  };
  let log = "";
  const port = await new Promise<string>((resolve, reject) => {
    const fail = (): void => reject(new Error(`nats-server did not start:\n${log}`));
    const timer = setTimeout(fail, PATIENCE_MS);
    child.once("error", fail);
    child.stderr.once("end", fail);
    child.stderr.on("data", (bytes) => {
      if (log === "" || !READY.test(log)) log += String(bytes);
      const found = PORT.exec(log);
      if (found === null || !READY.test(log)) return;
      clearTimeout(timer);
      resolve(found[1]!);
    });
  });
  child.stderr.resume();
  return { url: `nats://127.0.0.1:${port}`, stop };
}
