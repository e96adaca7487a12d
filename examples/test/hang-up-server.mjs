// @ts-check
// A process whose handlers work until /finish is asked for, behind the limiters of one framework.

import { concurrency } from "@tidegate/core";
import { serving } from "../serving.mjs";
import { limitedServer } from "./limited-server.mjs";

/** @type {() => void} */
let finish = () => {};
const isFinished = new Promise((resolve) => {
  finish = () => resolve(undefined);
});
/** @type {Record<string, number>} */
const started = { "/permits": 0, "/failures": 0, "/blocked": 0 };

const [, , framework = ""] = process.argv;
const server = await limitedServer(framework, {
  limits: {
    "/permits": { policies: [concurrency({ limit: 2 })] },
    "/failures": { limit: 5, skipFailedRequests: true },
    "/blocked": { block: ["127.0.0.1"] },
  },
  work(path) {
    started[path] = (started[path] ?? 0) + 1;
    return isFinished;
  },
  open: {
    "/started": () => started,
    "/finish": () => {
      finish();
      return true;
    },
  },
});
serving(server);
