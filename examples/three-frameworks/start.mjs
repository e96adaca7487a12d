/**
 * Starts an Express, a Koa and a Fastify server as processes of their own that share one limit, and
 * shows what each of them allows and refuses. `npm start` in the root folder runs this.
 *
 * `PORT` is the first of three ports; with `NATS_URL` they share the limit over NATS.
 */

import { fork } from "node:child_process";
import { createInterface } from "node:readline";
import { inWindow, Screen } from "./screen.mjs";

const NAMES = ["Express", "Koa", "Fastify"];
/** After so long a server that was killed is started again. */
const AGAIN_MS = 1_000;
const DIR = new URL(".", import.meta.url);
const firstPort = portOf(process.env.PORT ?? "3001");

const servers = NAMES.map((name, index) => ({
  name,
  port: firstPort === 0 ? 0 : firstPort + index,
  child: undefined,
  address: undefined,
  counts: undefined,
  isRunning: false,
  before: { allowed: 0, refused: 0, endsAt: 0, at: 0 },
}));
const screen = new Screen(servers, process.env.NATS_PID);
let isOver = false;

for (const server of servers) begin(server);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => end("", 0));
// The process that started this one has ended.
process.once("disconnect", () => end("", 0));
if (process.connected === false) end("", 0);

/** @param {string} [why] what became of the process before it */
function begin(server, why) {
  const file = new URL(`${server.name.toLowerCase()}.mjs`, DIR);
  const env = { ...process.env, PORT: String(server.port) };
  server.child = fork(file, { env, stdio: ["inherit", "inherit", "pipe", "ipc"] });
  // What it warns of stays above the table.
  createInterface(server.child.stderr).on("line", (line) => screen.note(line));
  server.child.on("message", (message) => {
    if (message.kind === "listening") {
      server.address = message.address;
      server.port = Number(new URL(message.address).port);
      if (why !== undefined) screen.note(`${why}; started again as ${server.child.pid}`);
    }
    if (message.kind === "counts") {
      server.counts = sum(message, server.before);
      server.isRunning = true;
    }
    if (message.kind === "failed") end(whyNot(server, message), 1);
    else screen.show();
  });
  server.child.on("exit", (_code, signal) => {
    if (isOver) return;
    if (server.counts === undefined) {
      end(`${server.name} has ended before it was there.`, 1);
      return;
    }
    server.before = server.counts;
    server.isRunning = false;
    screen.show();
    // It starts again, so that a user can kill it and see that the limit holds.
    const what = `${server.name} ${signal === null ? "has ended" : "was killed"}`;
    setTimeout(() => !isOver && begin(server, what), AGAIN_MS);
  });
}

/** What a server has decided in this window, and what the process before it had. */
function sum(counts, before) {
  const now = Date.now();
  const [mine, former] = [counts, before].map((each) => inWindow(each, now));
  return {
    ...(former.at > mine.at ? former : mine),
    ...{ replica: counts.replica, received: counts.received, degraded: counts.degraded },
    allowed: mine.allowed + former.allowed,
    refused: mine.refused + former.refused,
  };
}

function end(why, code) {
  if (isOver) return;
  isOver = true;
  if (why !== "") process.stderr.write(`\n${why}\n`);
  process.exitCode = code;
  // A server leaves at a signal, or when the channel to this process is closed.
  for (const { child } of servers) if (child?.connected) child.disconnect();
  if (process.connected) process.disconnect();
}

function whyNot({ name, port }, { code, message }) {
  if (code !== "EADDRINUSE") return `${name} could not start: ${message}`;
  return (
    `Port ${port} is in use, so ${name} could not start.\n` +
    "Choose other ports, the first of three, such as: PORT=4001 npm start"
  );
}

function portOf(given) {
  const port = Number(given);
  if (Number.isInteger(port) && port >= 0 && port <= 65_533) return port;
  process.stderr.write(`PORT is '${given}', and has to be a number from 0 to 65533.\n`);
  process.exit(1);
}
