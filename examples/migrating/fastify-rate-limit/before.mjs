import rateLimit from "@fastify/rate-limit";
import Fastify from "fastify";
import { HOST, PORT, serving } from "../../serving.mjs";

const app = Fastify();
await app.register(rateLimit, { max: 5, timeWindow: "15 minutes" });
app.get("/", async () => "Hello\n");
app.get("/search", { config: { rateLimit: { max: 2 } } }, async () => "Found\n");

await app.listen({ port: PORT, host: HOST });
serving(app.server, () => app.close());
