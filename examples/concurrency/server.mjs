// @ts-check
// Two reports at the same time for each client, and no more.

import { setTimeout as sleep } from "node:timers/promises";
import { concurrency } from "@tidegate/core";
import { rateLimit } from "@tidegate/express";
import express from "express";
import { HOST, PORT, serving } from "../serving.mjs";

const REPORT_MS = 1_000;

const app = express();
app.get(
  "/report",
  rateLimit({ preset: "api", name: "reports", policies: [concurrency({ limit: 2 })] }),
  async (_request, response) => {
    await sleep(REPORT_MS);
    response.type("text").send("Everything is fine\n");
  },
);

serving(app.listen(PORT, HOST));
