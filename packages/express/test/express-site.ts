/**
 * Express, in both versions that are supported, as the contract of middleware needs it.
 */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Served, SitePlan, WebFramework } from "@tidegate/testkit/http";
import express5, { type Request } from "express";
// @ts-expect-error: its types are those of the package that it is another version of.
import express4 from "express-4";
import { compositeKey, ipKeyGenerator, type RateLimitOptions, rateLimit } from "../src/index.ts";

export const EXPRESS_VERSIONS: readonly WebFramework[] = [
  framework("Express 5", express5),
  framework("Express 4", express4),
];

function framework(name: string, express: typeof express5): WebFramework {
  return {
    name,
    resetAs: "epoch",
    legacy: ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"],
    subnet: 56,
    refusal: {
      type: "text/html; charset=utf-8",
      text: "Too many requests, please try again later.",
    },
    ...{ ipKeyGenerator, compositeKey },
    header: (request, name) => (request as Request).get(name),
    serve: (plan) => serve(express, plan),
  };
}

async function serve(express: typeof express5, plan: SitePlan): Promise<Served> {
  const { limiters, trust = "none", before = {}, answer = {}, isHasty = false } = plan;
  const app = express();
  app.set("env", "test");
  app.set("trust proxy", { none: false, loopback: "loopback", all: true }[trust]);
  app.use((_request, response, next) => {
    response.set(before);
    if (isHasty) response.flushHeaders();
    next();
  });
  const middlewares = limiters.map((options) => rateLimit(options as RateLimitOptions));
  for (const middleware of middlewares) app.use(middleware);
  app.use(async (_request, response) => {
    const { status = 200, headers = {}, handle } = answer;
    await answer.wait?.();
    if (handle !== undefined) await handle(response);
    else if (response.headersSent) response.end();
    else response.status(status).set(headers).send("admitted");
  });
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    limiters: middlewares.flatMap(({ limiters }) => limiters),
    close: () =>
      new Promise((resolve) => {
        for (const { limiters } of middlewares) for (const each of limiters) each.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
