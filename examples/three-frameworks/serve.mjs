// @ts-check
// Tells `start.mjs` how it goes, which shows it in the terminal; it has no part in limiting anything.

import { subscribe } from "node:diagnostics_channel";
import { CHANNELS } from "@tidegate/core";
import { cluster } from "./cluster.mjs";

const TOLD_EVERY_MS = 200;

/** @param {import("node:http").Server} server */
export function serve(server) {
  // Of the window that an answer was last about, which began anew if the one before has ended.
  const counts = { allowed: 0, refused: 0, used: 0, endsAt: 0, at: 0 };
  subscribe(CHANNELS.decision, (event) => {
    const { decision } = /** @type {import("@tidegate/core").DecisionEvent} */ (event);
    const { allowed, used, resetMs } = decision;
    const at = Date.now();
    if (at >= counts.endsAt) Object.assign(counts, { allowed: 0, refused: 0 });
    counts[allowed ? "allowed" : "refused"]++;
    Object.assign(counts, { used, endsAt: at + resetMs, at });
  });

  /** @param {object} message */
  const tell = (message) => process.connected && process.send?.(message);
  const tellCounts = () => {
    const { replica, peers, degraded } = cluster.status();
    const received = peers.filter(({ isAlive }) => isAlive).map(({ replica }) => replica);
    tell({ kind: "counts", ...counts, replica, received, degraded });
  };
  const opened = () => {
    const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
    const address = `http://127.0.0.1:${port}`;
    if (process.send === undefined) console.log(address);
    tell({ kind: "listening", address });
    setInterval(tellCounts, TOLD_EVERY_MS).unref();
  };
  if (server.listening) opened();
  else server.once("listening", opened);
  server.once("error", failed);

  const end = async () => {
    server.close();
    server.closeAllConnections();
    await cluster.leave();
    process.exit();
  };
  // Ctrl+C reaches all processes of a terminal: who started this one says when to end.
  process.on("SIGINT", () => process.send === undefined && end());
  process.once("SIGTERM", end);
  process.once("disconnect", end);
  // The process that started this one may have ended while it waited for others.
  if (process.connected === false) void end();

  /** @param {NodeJS.ErrnoException} error */
  function failed({ code, message }) {
    tell({ kind: "failed", code, message });
    if (process.send === undefined) console.error(message);
    process.exitCode = 1;
    void end();
  }
}
