/**
 * `npm start`: three servers of three frameworks that share one limit, and what they make of requests.
 *
 * They find each other over a socket of this machine; over NATS with `--nats`, for which a nats-server
 * is started, or where `NATS_URL` names one. What was started ends together.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { findNatsServer } from "./nats-server.mjs";
import { ROOT, say } from "./steps.mjs";

const EXAMPLE = "examples/three-frameworks/start.mjs";
const NATS_PATIENCE_MS = 5_000;
const PARENT_ASKED_EVERY_MS = 500;
/** npm and the shell between; where a signal ends those, it is not passed on. */
const STARTED_BY = process.ppid;

/** Runs until somebody ends it; resolves to its exit code. */
export async function start(args) {
  const unknown = args.find((arg) => arg !== "--nats");
  if (unknown !== undefined) {
    say(`Unknown argument '${unknown}': there is only --nats, for npm start -- --nats`);
    return 1;
  }
  const env = { ...process.env };
  let server;
  if (args.includes("--nats") && env.NATS_URL === undefined) {
    say("▸ start a nats-server");
    try {
      server = await startNatsServer();
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
      return 1;
    }
    say(`  ok, at ${server.url}`);
    env.NATS_URL = server.url;
  }
  // By the channel they notice that this process has ended, in whatever way.
  /** @type {import("node:child_process").StdioOptions} */
  const stdio = ["inherit", "inherit", "inherit", "ipc"];
  const servers = spawn(process.execPath, [EXAMPLE], { cwd: ROOT, env, stdio });
  // They hear Ctrl+C themselves; what else ends this process has to be passed on.
  const pass = () => servers.kill("SIGTERM");
  process.on("SIGINT", () => {});
  process.on("SIGTERM", pass);
  const orphaned = setInterval(() => process.ppid !== STARTED_BY && pass(), PARENT_ASKED_EVERY_MS);
  const [code] = await once(servers, "exit");
  clearInterval(orphaned);
  server?.child.kill();
  return code ?? 1;
}

async function startNatsServer() {
  const path = await findNatsServer();
  const port = await freePort();
  const child = spawn(path, ["-a", "127.0.0.1", "-p", String(port)], { stdio: "ignore" });
  const ended = once(child, "exit").then(() => {
    throw new Error(`nats-server could not start: run ${path} to see why.`);
  });
  ended.catch(() => {});
  await Promise.race([ended, answers(port)]);
  return { child, url: `nats://127.0.0.1:${port}` };
}

/** A port that nobody listened on a moment ago. */
async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (probe.address());
  probe.close();
  return port;
}

async function answers(port) {
  for (let waited = 0; waited < NATS_PATIENCE_MS; waited += 50) {
    const socket = connect(port, "127.0.0.1");
    const isThere = await Promise.race([
      once(socket, "data").then(() => true),
      once(socket, "error").then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isThere) return;
    await sleep(50);
  }
  throw new Error("nats-server does not answer.");
}
