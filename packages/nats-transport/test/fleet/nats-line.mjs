/** The transport of processes that meet over NATS, with the client and as badly as the test wants. */

import * as client3 from "@nats-io/transport-node";
import { natsTransport } from "@tidegate/nats-transport";
import * as client2 from "nats";

/** Both clients, so that a fleet has some of each. */
const CLIENTS = [client2, client3];

export function makeTransport({ url, client, overlaps = false }) {
  const connect = async () => {
    const connection = await CLIENTS[client % CLIENTS.length].connect({
      servers: [url],
      // Spread, as in any larger fleet: ten that come back at once want two processors at once.
      reconnectTimeWait: 100,
      reconnectJitter: 500,
      maxReconnectAttempts: -1,
      ignoreAuthErrorAbort: true,
      pingInterval: 1_000,
      timeout: 1_000,
    });
    return overlaps ? overlapping(connection) : connection;
  };
  return natsTransport({ connection: connect });
}

/** Hears everything of the namespace once more, as one does who subscribes with two patterns. */
function overlapping(connection) {
  const subscribe = connection.subscribe.bind(connection);
  connection.subscribe = (subject, options) => {
    if (subject.endsWith(".*")) subscribe(`${subject.slice(0, -1)}>`, options);
    return subscribe(subject, options);
  };
  return connection;
}
