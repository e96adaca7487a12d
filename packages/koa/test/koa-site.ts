/**
 * Koa, in both versions that are supported, as the contract of middleware needs it.
 */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Served, SitePlan, WebFramework } from "@tidegate/testkit/http";
import Koa, { type Context } from "koa";
// @ts-expect-error: its types are those of the package that it is another version of.
import Koa2 from "koa-2";
import { compositeKey, ipKeyGenerator, type Options, rateLimit } from "../src/index.ts";

export interface KoaVersion {
  readonly name: string;
  readonly make: () => Koa;
}

export const KOAS: readonly KoaVersion[] = [
  { name: "Koa 3", make: () => new Koa() },
  { name: "Koa 2", make: () => new Koa2() },
];

export const KOA_VERSIONS: readonly WebFramework[] = KOAS.map(({ name, make }) => ({
  name,
  resetAs: "epoch",
  legacy: ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"],
  subnet: 64,
  refusal: {
    type: "text/plain; charset=utf-8",
    text: "Rate limit exceeded, retry in 1 minute.",
  },
  ...{ ipKeyGenerator, compositeKey },
  header: (context, name) => (context as Context).get(name) || undefined,
  serve: (plan) => serveSite(make(), plan),
}));

async function serveSite(app: Koa, plan: SitePlan): Promise<Served> {
  const { limiters, trust = "none", before = {}, answer = {}, isHasty = false } = plan;
  app.silent = true;
  app.proxy = trust !== "none";
  app.maxIpsCount = trust === "loopback" ? 1 : 0;
  app.use((context, next) => {
    context.set(before);
    if (isHasty) {
      context.status = 200;
      context.res.flushHeaders();
    }
    return next();
  });
  const middlewares = limiters.map((options) => {
    // A minute, as the contract expects; the usual hour of Koa's is tested beside it.
    const usual = "policies" in options || options.preset === "login" ? {} : { windowMs: 60_000 };
    return rateLimit({ ...usual, ...options } as Options);
  });
  for (const middleware of middlewares) app.use(middleware);
  app.use(async (context) => {
    const { status = 200, headers = {}, handle } = answer;
    await answer.wait?.();
    if (handle !== undefined) {
      context.respond = false;
      await handle(context.res);
      return;
    }
    context.body = "admitted";
    context.status = status;
    context.set(headers);
  });
  const { url, close } = await listen(app);
  return {
    url,
    limiters: middlewares.flatMap(({ limiters }) => limiters),
    close: async () => {
      for (const { limiters } of middlewares) for (const each of limiters) each.close();
      await close();
    },
  };
}

/** Serves an application at a free port of this machine. */
export async function listen(app: Koa): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer(app.callback());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
