/**
 * What is compared: a small application of each framework, without a limiter and behind each of them.
 * Without one means two things: with nothing in its place, and with what does nothing but pass requests on.
 *
 * All limiters count by the address, in windows of an hour, and let everything pass.
 */

import type { RequestListener } from "./exchange.ts";

export type FrameworkName = "Express" | "Koa" | "Fastify";

export const LIMITERS = ["tidegate", "peer", "by hand"] as const;

/** Whose limiter it is; the peer is the one whose place tidegate takes under the framework. */
export type LimiterName = (typeof LIMITERS)[number];

export const PEERS: Readonly<Record<FrameworkName, string>> = {
  Express: "express-rate-limit",
  Koa: "koa-ratelimit",
  Fastify: "@fastify/rate-limit",
};

export const LIMIT = 1_000_000_000;
export const WINDOW_MS = 3_600_000;

/** What stands where a limiter would: nothing at all, or what only passes requests on. */
export type Unlimited = "nothing" | "passing on";

/** Makes an application. */
export type MakeSite = (
  limiter: LimiterName | Unlimited,
  sendsHeaders: boolean,
) => Promise<RequestListener>;

/** Frameworks are loaded by need: a process that measures one loads no other. */
export async function siteOf(framework: FrameworkName): Promise<MakeSite> {
  switch (framework) {
    case "Express":
      return (await import("./express-site.ts")).expressSite;
    case "Koa":
      return (await import("./koa-site.ts")).koaSite;
    case "Fastify":
      return (await import("./fastify-site.ts")).fastifySite;
  }
}
