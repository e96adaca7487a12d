// @ts-check
// The three servers are processes of one cluster: what one of them counts, all of them know.

import { joinCluster } from "@tidegate/core";
import { ipcTransport } from "@tidegate/core/ipc";
import { natsTransport } from "@tidegate/nats-transport";

const { NATS_URL = "" } = process.env;

async function natsConnection() {
  const { connect } = await import("@nats-io/transport-node");
  return connect({ servers: NATS_URL });
}

// Over NATS where there is one, which may be on another machine; else over a socket of this machine.
export const cluster = joinCluster({
  namespace: "three-frameworks",
  transport: NATS_URL ? natsTransport({ connection: natsConnection }) : ipcTransport(),
});
