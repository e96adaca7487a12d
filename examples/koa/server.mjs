// @ts-check
// Koa: 5 requests a minute for each client.

import { rateLimit } from "@tidegate/koa";
import Koa from "koa";
import { HOST, PORT, serving } from "../serving.mjs";

const app = new Koa();
app.use(rateLimit({ preset: "api", name: "api", limit: 5 }));
app.use((context) => {
  context.body = "Hello\n";
});

serving(app.listen(PORT, HOST));
