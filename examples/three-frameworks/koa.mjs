// @ts-check
import { rateLimit } from "@tidegate/koa";
import Koa from "koa";
import { cluster } from "./cluster.mjs";
import { limits } from "./limits.mjs";
import { serve } from "./serve.mjs";

const app = new Koa();
app.use(rateLimit({ ...limits, cluster }));
app.use((context) => {
  context.body = "Koa lets you pass";
});

// What the others have counted is known before the first request comes.
await cluster.ready;
serve(app.listen(Number(process.env.PORT), "127.0.0.1"));
