/**
 * A process of its own that says who it is until it has heard of as many as it was told to expect,
 * and then for a little longer, for those who came late. Runs the built package.
 *
 * As `cluster <count> …` it is the parent of so many workers of node:cluster instead, as `fork …` of a
 * process that it forks, and as `thread …` a worker thread.
 */

import { fork } from "node:child_process";
import cluster from "node:cluster";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { ipcTransport } from "../../dist/ipc.mjs";

const [mode, ...rest] = process.argv.slice(2);

if (mode === "thread" && process.env["IPC_TEST_THREAD"] === undefined) {
  const env = { ...process.env, IPC_TEST_THREAD: "1" };
  new Worker(new URL(import.meta.url), { argv: [mode, ...rest], env });
} else if (mode === "fork") {
  fork(fileURLToPath(import.meta.url), ["alone", ...rest]);
} else if (mode === "cluster" && cluster.isPrimary) {
  const [count, ...others] = rest;
  cluster.setupPrimary({ args: [mode, ...others] });
  for (let worker = 0; worker < Number(count); worker++) cluster.fork();
} else {
  meet(rest[0], Number(rest[1]));
}

function meet(namespace, expected) {
  const replica = randomBytes(8).toString("hex");
  const heard = new Set();
  const transport = ipcTransport();
  transport.open((frame) => heard.add(Buffer.from(frame).toString()), { namespace, replica });
  let roundsLeft = 1_000;
  let roundsAfter = 50;
  const timer = setInterval(() => {
    transport.publish(Buffer.from(replica));
    if (heard.size >= expected) roundsAfter--;
    if (--roundsLeft > 0 && roundsAfter > 0) return;
    clearInterval(timer);
    void transport.close();
    process.stdout.write(heard.size === expected ? "all\n" : `${heard.size} of ${expected}\n`);
    process.exitCode = heard.size === expected ? 0 : 1;
    if (cluster.isWorker) cluster.worker.disconnect();
  }, 20);
}
