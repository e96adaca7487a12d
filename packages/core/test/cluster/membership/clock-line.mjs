/**
 * The transport of processes that meet on this machine, whose clocks change at SIGUSR2 as the test says.
 */

import { ipcTransport } from "@tidegate/core/ipc";
import { changeableClocks } from "@tidegate/testkit/changeable-clocks";

export function makeTransport(clocks) {
  changeableClocks(clocks);
  return ipcTransport();
}
