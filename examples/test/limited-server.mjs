// @ts-check
// A server of whichever framework, with a limiter for each of some paths and none for others.

/**
 * @typedef {object} Site
 * @property {Readonly<Record<string, object>>} limits by path, what its limiter is given
 * @property {(path: string) => unknown} work what is done for a request that passes, before it is answered
 * @property {Readonly<Record<string, () => unknown>>} open by path, what is answered as JSON without limits
 */

const HOST = "127.0.0.1";
const DONE = "done";

/** @type {Record<string, (site: Site) => Promise<import("node:http").Server>>} */
const SERVERS = {
  async express({ limits, work, open }) {
    const { rateLimit } = await import("@tidegate/express");
    const { default: express } = await import("express");
    const app = express();
    for (const [path, options] of Object.entries(limits)) {
      app.get(path, rateLimit(options), async (_request, response) => {
        await work(path);
        response.send(DONE);
      });
    }
    for (const [path, answer] of Object.entries(open)) {
      app.get(path, (_request, response) => void response.json(answer()));
    }
    return app.listen(0, HOST);
  },

  async koa({ limits, work, open }) {
    const { rateLimit } = await import("@tidegate/koa");
    const { default: Koa } = await import("koa");
    const app = new Koa();
    const limiters = new Map(
      Object.entries(limits).map(([path, options]) => [path, rateLimit(options)]),
    );
    app.use((context, next) => limiters.get(context.path)?.(context, next) ?? next());
    app.use(async (context) => {
      const answer = open[context.path];
      if (answer !== undefined) context.body = JSON.stringify(answer());
      else if (limiters.has(context.path)) {
        await work(context.path);
        context.body = DONE;
      }
    });
    return app.listen(0, HOST);
  },

  async fastify({ limits, work, open }) {
    const { rateLimit } = await import("@tidegate/fastify");
    const { default: fastify } = await import("fastify");
    const app = fastify();
    await app.register(rateLimit, { global: false });
    for (const [path, options] of Object.entries(limits)) {
      app.get(path, { config: { rateLimit: options } }, async () => {
        await work(path);
        return DONE;
      });
    }
    for (const [path, answer] of Object.entries(open)) {
      app.get(path, async () => JSON.stringify(answer()));
    }
    await app.listen({ port: 0, host: HOST });
    return app.server;
  },
};

/**
 * @param {string} framework
 * @param {Site} site
 */
export function limitedServer(framework, site) {
  const make = SERVERS[framework];
  if (make === undefined) throw new Error(`no server is called ${framework}`);
  return make(site);
}
