// @ts-check
// A process of a fleet that shares limits over NATS, behind the limiters of one framework.

import { subscribe } from "node:diagnostics_channel";
import { connect } from "@nats-io/transport-node";
import { CHANNELS, createLimiter, fixedWindow, joinCluster } from "@tidegate/core";
import { natsTransport } from "@tidegate/nats-transport";
import { changeableClocks } from "@tidegate/testkit/changeable-clocks";
import { serving } from "../serving.mjs";
import { limitedServer } from "./limited-server.mjs";

const [, , framework = "", json = ""] = process.argv;
/** @type {import("./http-fleet.ts").ServerPlan} */
const plan = JSON.parse(json);
changeableClocks(plan.clocks);

const { namespace, secret, windowMs, onPartition, limit, bulk } = plan;
const cluster = joinCluster({
  ...{ namespace, secret },
  transport: natsTransport({
    connection: () => connect({ servers: plan.url, maxReconnectAttempts: -1, pingInterval: 1_000 }),
  }),
});
const many = createLimiter({
  ...{ name: "many", cluster, onPartition },
  policy: fixedWindow({ limit: 1e9, windowMs }),
});
let charged = 0;
/** @type {string[]} */
const said = [];
subscribe(CHANNELS.cluster, (event) => {
  said.push(/** @type {import("@tidegate/core").ClusterEvent} */ (event).code);
});

const server = await limitedServer(framework, {
  limits: Object.fromEntries(
    plan.paths.map((path) => {
      const name = path.slice(1);
      return [path, { ...{ preset: "api", name, limit, windowMs }, cluster, onPartition }];
    }),
  ),
  work(path) {
    if (path !== bulk?.path) return;
    for (let times = 0; times < bulk.charges; times++) many.charge(`key ${charged++ % bulk.keys}`);
  },
  open: {
    "/status": () => cluster.status(),
    "/said": () => said,
    "/bulk": () => {
      let used = 0;
      for (let key = 0; key < (bulk?.keys ?? 0); key++) used += many.peek(`key ${key}`).used;
      return { charged, used };
    },
  },
});
// The process that started it has ended.
process.once("disconnect", () => process.exit());

await cluster.ready;
serving(server, () => cluster.leave());
