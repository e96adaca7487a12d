/**
 * Processes of one machine as a cluster, with nothing to install. They may be started by `cluster`,
 * PM2 or `fork`, be worker threads, or be started independently of each other.
 */

export { ipcTransport } from "./transport/ipc-transport.ts";
