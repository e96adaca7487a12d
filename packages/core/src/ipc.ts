/**
 * Processes of one machine as a cluster, with nothing to install: `cluster`, PM2, `fork`, worker
 * threads, or processes that have nothing to do with each other.
 */

export { ipcTransport } from "./transport/ipc-transport.ts";
