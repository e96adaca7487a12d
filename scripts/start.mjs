/**
 * `npm start`: three servers of three frameworks that share one limit, and their responses to
 * requests.
 *
 * They connect over a local socket. With `--nats` they use NATS: a nats-server is started, or the
 * one at `NATS_URL` is used. Everything that was started ends together.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { findNatsServer } from "./nats-server.mjs";
import { ROOT, say } from "./steps.mjs";

const EXAMPLE = "examples/three-frameworks/start.mjs";
const NATS_PATIENCE_MS = 5_000;
const NATS_PORT = 4222;
const PARENT_ASKED_EVERY_MS = 500;
/** npm and the shell are parents of this process, and do not pass on the signal that ends them. */
const STARTED_BY = process.ppid;

const HELP = `npm start            three servers that share one limit, over a socket
npm start -- --nats  the same over NATS; starts a nats-server for it

PORT=4001      the first of three ports; it is 3001 otherwise
NATS_URL=...   a nats-server that runs already, such as
               nats://127.0.0.1:4222`;

/**
 * The answer that needs no installation or build, with its exit code; undefined if the servers can
 * start.
 *
 * @returns {Promise<{ text: string, code: number } | undefined>}
 */
export async function answerToStart(args, env = process.env) {
  if (args.includes("--help") || args.includes("-h")) return { text: HELP, code: 0 };
  const unknown = args.find((arg) => arg !== "--nats");
  if (unknown !== undefined) return { text: `Unknown argument '${unknown}'.\n\n${HELP}`, code: 1 };
  if (env.npm_config_nats !== undefined) {
    return { text: "npm keeps --nats for itself. Say: npm start -- --nats", code: 1 };
  }
  const { NATS_URL: url = "" } = env;
  if (url === "" || (await anyAnswers(url))) return undefined;
  const text =
    `NATS_URL is '${url}', and no nats-server answers there.\n` +
    "Start one, or name another, such as: NATS_URL=nats://127.0.0.1:4222 npm start\n" +
    "Without NATS_URL, this starts one for you: npm start -- --nats";
  return { text, code: 1 };
}

/** Runs until it is ended; resolves to its exit code. */
export async function start(args) {
  const env = { ...process.env };
  let server;
  if (args.includes("--nats") && !env.NATS_URL) {
    say("▸ start a nats-server");
    try {
      server = await startNatsServer();
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
      return 1;
    }
    say(`  ok, at ${server.url}`);
    env.NATS_URL = server.url;
    env.NATS_PID = String(server.child.pid);
  }
  // The channel shows the servers that this process has ended, for any reason.
  /** @type {import("node:child_process").StdioOptions} */
  const stdio = ["inherit", "inherit", "inherit", "ipc"];
  const servers = spawn(process.execPath, [EXAMPLE], { cwd: ROOT, env, stdio });
  // The servers receive Ctrl+C themselves; other signals have to be passed on.
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
  await Promise.race([ended, untilAnswers(port)]);
  return { child, url: `nats://127.0.0.1:${port}` };
}

/** A port without a listener. */
async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (probe.address());
  probe.close();
  return port;
}

async function untilAnswers(port) {
  for (let waited = 0; waited < NATS_PATIENCE_MS; waited += 50) {
    if (await answers(port, "127.0.0.1")) return;
    await sleep(50);
  }
  throw new Error("nats-server does not answer.");
}

/** Whether any of several servers answers; the list has the format of NATS clients. */
async function anyAnswers(urls) {
  const found = await Promise.all(
    urls.split(",").map((given) => {
      const url = /^[a-z]+:\/\//.test(given.trim()) ? given.trim() : `nats://${given.trim()}`;
      if (!URL.canParse(url)) return false;
      const { hostname, port } = new URL(url);
      return answers(Number(port) || NATS_PORT, hostname.replace(/^\[|\]$/g, ""));
    }),
  );
  return found.includes(true);
}

/** A nats-server sends first. */
async function answers(port, host) {
  const socket = connect(port, host);
  const isThere = await Promise.race([
    once(socket, "data").then(() => true),
    sleep(NATS_PATIENCE_MS, false, { ref: false }),
  ]).catch(() => false);
  socket.destroy();
  return isThere;
}
