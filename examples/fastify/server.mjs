// @ts-check
// Fastify: 5 requests a minute for each client, and a route that has its own limit.

import { rateLimit } from "@tidegate/fastify";
import Fastify from "fastify";
import { HOST, PORT, serving } from "../serving.mjs";

const app = Fastify();
await app.register(rateLimit, { preset: "api", name: "api", limit: 5 });
app.get("/", async () => "Hello\n");
app.get("/search", { config: { rateLimit: { limit: 2 } } }, async () => "Found\n");

await app.listen({ port: PORT, host: HOST });
serving(app.server, () => app.close());
