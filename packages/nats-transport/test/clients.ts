/**
 * Both NATS clients, for tests that run with each.
 */

import { connect as connect3 } from "@nats-io/transport-node";
import type { NatsConnectionLike } from "@tidegate/nats-transport";
import { connect as connect2 } from "nats";

export interface ConnectOptions {
  readonly user?: string;
  readonly pass?: string;
  readonly pingInterval?: number;
  /** Whether the first server that is named is the first that is tried. */
  readonly noRandomize?: boolean;
}

export interface Client {
  readonly name: string;
  /** What it is imported as. */
  readonly module: string;
  connect(url: string | readonly string[], options?: ConnectOptions): Promise<NatsConnectionLike>;
}

/** Settings of a program that wants its server back quickly. */
function settings(url: string | readonly string[], options: ConnectOptions = {}) {
  return {
    servers: typeof url === "string" ? [url] : [...url],
    reconnectTimeWait: 50,
    reconnectJitter: 20,
    maxReconnectAttempts: -1,
    ignoreAuthErrorAbort: true,
    pingInterval: 2_000,
    timeout: 1_000,
    ...options,
  };
}

export const CLIENTS: readonly Client[] = [
  {
    name: "nats 2",
    module: "nats",
    connect: (url, options) => connect2(settings(url, options)),
  },
  {
    name: "@nats-io/transport-node 3",
    module: "@nats-io/transport-node",
    connect: (url, options) => connect3(settings(url, options)),
  },
];
