/**
 * A process that joins a cluster over NATS and subscribes to no events, so that the first error is
 * printed. Runs the built packages.
 */

import { setTimeout as pause } from "node:timers/promises";
import { joinCluster } from "@tidegate/core";
import { natsTransport } from "@tidegate/nats-transport";

const [client, settings] = process.argv.slice(2);
const { connect } = await import(client);

const transport = natsTransport({ connection: () => connect(JSON.parse(settings)) });
joinCluster({ namespace: "shop", transport });
await pause(1_500);
process.exit();
