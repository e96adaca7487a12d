// @ts-check
// A process whose handlers work until /finish is asked for, behind the limiters of one framework.

import { concurrency } from "@tidegate/core";
import { serving } from "../serving.mjs";

/** @type {() => void} */
let finish = () => {};
const isFinished = new Promise((resolve) => {
  finish = () => resolve(undefined);
});
const started = { "/permits": 0, "/failures": 0 };

/** @param {keyof typeof started} path */
function work(path) {
  started[path]++;
  return isFinished;
}

const LIMITS = {
  "/permits": { policies: [concurrency({ limit: 2 })] },
  "/failures": { limit: 5, skipFailedRequests: true },
};
const PATHS = /** @type {const} */ (["/permits", "/failures"]);

/** @type {Record<string, () => Promise<import("node:http").Server>>} */
const SERVERS = {
  async express() {
    const { rateLimit } = await import("@tidegate/express");
    const { default: express } = await import("express");
    const app = express();
    for (const path of PATHS) {
      app.get(path, rateLimit(LIMITS[path]), async (_request, response) => {
        await work(path);
        response.send("done");
      });
    }
    app.get("/started", (_request, response) => void response.json(started));
    app.get("/finish", (_request, response) => void response.send(String(finish())));
    return app.listen(0, "127.0.0.1");
  },

  async koa() {
    const { rateLimit } = await import("@tidegate/koa");
    const { default: Koa } = await import("koa");
    const app = new Koa();
    const limiters = {
      "/permits": rateLimit(LIMITS["/permits"]),
      "/failures": rateLimit(LIMITS["/failures"]),
    };
    app.use((context, next) => {
      const limiter = limiters[/** @type {keyof typeof limiters} */ (context.path)];
      return limiter === undefined ? next() : limiter(context, next);
    });
    app.use(async (context) => {
      context.body = started;
      if (context.path === "/finish") finish();
      else if (context.path !== "/started") {
        await work(/** @type {keyof typeof started} */ (context.path));
      }
    });
    return app.listen(0, "127.0.0.1");
  },

  async fastify() {
    const { rateLimit } = await import("@tidegate/fastify");
    const { default: fastify } = await import("fastify");
    const app = fastify();
    await app.register(rateLimit, { global: false });
    for (const path of PATHS) {
      app.get(path, { config: { rateLimit: LIMITS[path] } }, async () => {
        await work(path);
        return "done";
      });
    }
    app.get("/started", async () => started);
    app.get("/finish", async () => String(finish()));
    await app.listen({ port: 0, host: "127.0.0.1" });
    return app.server;
  },
};

const [, , name = ""] = process.argv;
const make = SERVERS[name];
if (make === undefined) throw new Error(`no server is called ${name}`);
serving(await make());
