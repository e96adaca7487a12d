// @ts-check
// Starts three of them, at three ports in a row.

import { fork } from "node:child_process";
import { PORT } from "../serving.mjs";

const file = new URL("server.mjs", import.meta.url);
const processes = [0, 1, 2].map((index) => {
  const port = PORT === 0 ? 0 : PORT + index;
  return fork(file, { env: { ...process.env, PORT: String(port) } });
});
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) {
  process.on(signal, () => {
    for (const one of processes) one.kill(signal);
  });
}
