/** The transport of processes that meet on this machine. */

export { ipcTransport as makeTransport } from "../../dist/ipc.js";
