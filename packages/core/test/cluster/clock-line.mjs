/**
 * The transport of processes that meet on this machine, on a machine that is suspended or whose wall clock
 * is set: at SIGUSR2 the monotonic clock and the wall clock go ahead by as much as the test says.
 */

import { ipcTransport } from "@tidegate/core/ipc";

const monotonicMs = performance.now.bind(performance);
const wallMs = Date.now.bind(Date);

export function makeTransport({ startsAheadMs = 0, monotonicSkipMs, wallSkipMs }) {
  let monotonicAheadMs = 0;
  let wallAheadMs = startsAheadMs;
  performance.now = () => monotonicMs() + monotonicAheadMs;
  Date.now = () => wallMs() + wallAheadMs;
  process.on("SIGUSR2", () => {
    monotonicAheadMs += monotonicSkipMs;
    wallAheadMs += wallSkipMs;
  });
  return ipcTransport();
}
