// @ts-check
import { rateLimit } from "@tidegate/fastify";
import Fastify from "fastify";
import { cluster } from "./cluster.mjs";
import { limits } from "./limits.mjs";
import { serve } from "./serve.mjs";

const app = Fastify();
await app.register(rateLimit, { ...limits, cluster });
app.get("/", async () => "Fastify lets you pass");

// What the others have counted is known before the first request comes.
await cluster.ready;
serve(app.server);
// A port that is taken is told by the server as well.
app.listen({ port: Number(process.env.PORT), host: "127.0.0.1" }).catch(() => {});
