// @ts-check
// Express: 5 requests a minute for each client.

import { rateLimit } from "@tidegate/express";
import express from "express";
import { HOST, PORT, serving } from "../serving.mjs";

const app = express();
app.use(rateLimit({ preset: "api", name: "api", limit: 5 }));
app.get("/", (_request, response) => {
  response.type("text").send("Hello\n");
});

serving(app.listen(PORT, HOST));
