// @ts-check
// Two streams of events at the same time for each client, and no more.

import { concurrency } from "@tidegate/core";
import { rateLimit } from "@tidegate/express";
import express from "express";
import { HOST, PORT, serving } from "../serving.mjs";

const EVENT_MS = 250;

const streams = rateLimit({
  preset: "api",
  name: "streams",
  policies: [concurrency({ limit: 2 })],
  // The handler stops when the response closes, and never ends it: nothing is left to wait for.
  holdAfterHangUpMs: 0,
});

const app = express();
app.get("/events", streams, (_request, response) => {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  const send = () => response.write(`data: ${new Date().toISOString()}\n\n`);
  send();
  const timer = setInterval(send, EVENT_MS);
  response.once("close", () => clearInterval(timer));
});

serving(app.listen(PORT, HOST));
