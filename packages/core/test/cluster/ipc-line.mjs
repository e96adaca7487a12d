/** The transport of processes that meet on this machine. */

export { ipcTransport as makeTransport } from "@tidegate/core/ipc";
