/**
 * Advice about the settings of a connection that the user created and owns.
 *
 * The settings are only read, and only if the client exposes them. The defaults of both clients
 * suit a program that can do nothing without its server. A rate limiter goes on without it, and
 * must reconnect whenever the server comes back.
 */

import type { NatsConnectionLike } from "./connection.ts";

const PING_INTERVAL_MS_MAX = 10_000;
const PINGS_OUT_MIN = 2;

interface Settings {
  readonly reconnect?: unknown;
  readonly maxReconnectAttempts?: unknown;
  readonly ignoreAuthErrorAbort?: unknown;
  readonly pingInterval?: unknown;
  readonly maxPingOut?: unknown;
  readonly ignoreClusterUpdates?: unknown;
  readonly servers?: unknown;
}

/** Settings with a hidden cost, each with what to set instead; empty if there are none. */
export function adviceOn(connection: NatsConnectionLike): readonly string[] {
  const settings = (connection as { readonly options?: unknown }).options;
  if (typeof settings !== "object" || settings === null) return [];
  const given: Settings = settings;
  const advice: string[] = [];
  if (given.reconnect === false) {
    advice.push("'reconnect' is false: set true, or a lost connection stays lost");
  } else if (isNumber(given.maxReconnectAttempts) && given.maxReconnectAttempts >= 0) {
    advice.push(
      `'maxReconnectAttempts' is ${given.maxReconnectAttempts}: set -1, or the connection is closed for good after so many`,
    );
  }
  if (given.ignoreAuthErrorAbort !== true) {
    advice.push(
      "'ignoreAuthErrorAbort' is not set: set true, or the connection is closed for good when its credentials are refused twice",
    );
  }
  if (isNumber(given.pingInterval) && given.pingInterval > PING_INTERVAL_MS_MAX) {
    advice.push(
      `'pingInterval' is ${given.pingInterval}: set 2000, or the client looks for another server only after minutes when one freezes`,
    );
  }
  if (isNumber(given.maxPingOut) && given.maxPingOut < PINGS_OUT_MIN) {
    advice.push(
      `'maxPingOut' is ${given.maxPingOut}: set 2, or one late answer ends the connection`,
    );
  }
  if (given.ignoreClusterUpdates === true && serverCount(given.servers) < 2) {
    advice.push(
      "'ignoreClusterUpdates' is true and one server is known: leave it out or name more 'servers', or nothing else is tried when that one is lost",
    );
  }
  return advice;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function serverCount(servers: unknown): number {
  return Array.isArray(servers) ? servers.length : 1;
}
