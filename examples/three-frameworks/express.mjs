// @ts-check
import { rateLimit } from "@tidegate/express";
import express from "express";
import { cluster } from "./cluster.mjs";
import { limits } from "./limits.mjs";
import { serve } from "./serve.mjs";

const app = express();
app.use(rateLimit({ ...limits, cluster }));
app.get("/", (_request, response) => {
  response.type("text").send("Express lets you pass");
});

// What the others have counted is known before the first request comes.
await cluster.ready;
serve(app.listen(Number(process.env.PORT), "127.0.0.1"));
