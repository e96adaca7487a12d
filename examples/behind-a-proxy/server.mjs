// @ts-check
// Behind a proxy on this machine: 5 requests a minute for each client of the proxy.

import { rateLimit } from "@tidegate/express";
import express from "express";
import { HOST, PORT, serving } from "../serving.mjs";

const app = express();
// The addresses of your proxies, and no others.
app.set("trust proxy", ["loopback"]);
app.use(rateLimit({ preset: "api", name: "api", limit: 5 }));
app.get("/", (request, response) => {
  response.type("text").send(`Hello, ${request.ip}\n`);
});

serving(app.listen(PORT, HOST));
