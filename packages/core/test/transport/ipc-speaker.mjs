/**
 * A process of its own that says its name all the time, and answers its parent who was heard since
 * the last question. Runs the built package.
 *
 * The parent sends `{ id, ask }`, where `ask` is "heard", "flood" or "block".
 */

import { ipcTransport } from "../../dist/ipc.mjs";

const [namespace, name] = process.argv.slice(2);
const FLOOD_FRAMES = 10;
const FLOOD_BYTES = 60_000;
const SAY_MS = 20;

const troubles = [];
let heard = new Set();
const transport = ipcTransport();
transport.open(
  (frame) => {
    if (frame.length < FLOOD_BYTES) heard.add(Buffer.from(frame).toString());
  },
  { namespace, replica: "0123456789ab", report: (trouble) => troubles.push(trouble) },
);
setInterval(() => transport.publish(Buffer.from(name)), SAY_MS);

const answers = {
  heard() {
    const names = [...heard].sort();
    heard = new Set();
    return { names, troubles, isConnected: transport.connected, isBusy: transport.busy };
  },
  flood() {
    let isTaken = true;
    for (let frame = 0; frame < FLOOD_FRAMES; frame++) {
      if (!transport.publish(Buffer.alloc(FLOOD_BYTES))) isTaken = false;
    }
    return isTaken;
  },
  block(forMs) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, forMs);
  },
};

process.on("message", ({ id, ask, forMs }) => process.send({ id, answer: answers[ask](forMs) }));
process.on("disconnect", () => process.exit());
