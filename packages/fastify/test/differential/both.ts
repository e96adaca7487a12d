/**
 * Sends a scenario's requests through an application with @fastify/rate-limit, and through the same
 * application with ours, at the same made-up times.
 */

import { createRequire } from "node:module";
import type { Answered, Pair } from "@tidegate/testkit/http";
import fastify, {
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyRequest,
} from "fastify";
import { vi } from "vitest";
import { type errorResponseBuilderContext, rateLimit as ours } from "../../src/index.ts";
import type { Scenario, ScenarioRequest } from "./scenario.ts";

const CACHED = {
  "cache-control": "public, max-age=60",
  "last-modified": new Date(0).toUTCString(),
};

/** Users who have a number as well. */
const USERS = ["ada", "eve", "listed"];

type Plugin = FastifyPluginAsync<Record<string, unknown>>;

// Its types would add to the same ones of Fastify's that ours add to.
const require = createRequire(import.meta.url);
const theirs: Plugin = require("@fastify/rate-limit");

/** Every request with both of its answers. Needs fake timers. */
export async function sendThroughBoth(scenario: Scenario): Promise<Pair<Scenario>[]> {
  const their = await application(scenario, theirs);
  const our = await application(scenario, ours as unknown as Plugin);
  const pairs: Pair<Scenario>[] = [];
  for (const request of scenario.requests) {
    vi.advanceTimersByTime(request.afterMs);
    const [one, other] = [await ask(their, request), await ask(our, request)];
    pairs.push({ scenario, request, theirs: one, ours: other });
  }
  await Promise.all([their.close(), our.close()]);
  return pairs;
}

async function application(scenario: Scenario, plugin: Plugin): Promise<FastifyInstance> {
  const { peculiarity, options } = scenario;
  const app = fastify({ trustProxy: "loopback" });
  const told: string[] = [];
  app.addHook("onRequest", async (_request, reply) => {
    reply.headers(CACHED);
  });
  app.addHook("onSend", async (_request, reply) => {
    // What callbacks were told, in their order.
    if (told.length > 0) reply.header("x-told", told.splice(0).join(" "));
  });
  const given = { ...optionsFor(scenario, told), ...(plugin === ours && { validate: false }) };
  await app.register(plugin, given);
  if (peculiarity === "stacked") await app.register(plugin, { ...given, max: 5 });
  const own = { rateLimit: options.routeMax === undefined ? {} : { max: options.routeMax } };
  const group = { config: { rateLimit: { groupId: "two", max: 2 } } };
  const routes: Record<string, object> = {
    "/": {},
    "/own": { config: own },
    "/off": { config: { rateLimit: false } },
    "/one-of-two": group,
    "/other-of-two": group,
    "/handled": { preHandler: app.rateLimit({ max: 2 }) },
  };
  // Only those that are asked for: to make a route takes longer than to answer at it.
  for (const url of new Set(scenario.requests.map((request) => request.url))) {
    const given = routes[url];
    if (given === undefined) continue;
    app.route({ method: ["GET", "POST", "OPTIONS"], url, ...given, handler: admit });
  }
  app.setNotFoundHandler({ preHandler: app.rateLimit() }, (_request, reply) => {
    reply.code(404).send({ hello: "nobody" });
  });
  return app;
}

async function admit(): Promise<string> {
  return "admitted";
}

function optionsFor({ peculiarity, options }: Scenario, told: string[]): Record<string, unknown> {
  const {
    max,
    isFunction,
    keyed,
    allowList,
    hides,
    builds,
    routeMax: _routeMax,
    ...same
  } = options;
  const user = (request: FastifyRequest): unknown => request.headers["x-user"];
  const numberOf = (request: FastifyRequest): number => USERS.indexOf(String(user(request)));
  const tell = (what: string) => (_request: FastifyRequest, key: string) => {
    told.push(`${what}:${JSON.stringify(key)}`);
  };
  const hidden = { limit: { "x-ratelimit-limit": false }, reset: { "ratelimit-reset": false } };
  const lists = {
    none: peculiarity === "address-lists" ? ["2001:db8:1:2::5", "198.51.100.0/24"] : null,
    array: [
      ...["listed", "192.0.2.2", "2001:db8:1:2::"],
      ...(keyed === "number" ? [USERS.indexOf("listed"), "1"] : []),
    ],
    function: async (request: FastifyRequest, key: string) =>
      user(request) === "listed" || key === "192.0.2.2",
  };
  const answered = peculiarity === "numeric-text" ? String(max ?? 3) : (max ?? 3);
  const all: Record<string, unknown> = {
    ...same,
    ...{ max: isFunction ? async () => answered : max, allowList: lists[allowList] },
    ...(peculiarity === "allow-text" && { allowList: "ada-listed, 192.0.2.2" }),
    ...(peculiarity === "widths" && { timeWindow: widthOf }),
    exponentialBackoff: peculiarity === "backoff",
    ...(keyed !== null && { keyGenerator: keyed === "text" ? user : numberOf }),
    ...(hides !== "none" && { addHeaders: hidden[hides], addHeadersOnExceeding: hidden[hides] }),
    ...(builds !== "nothing" && {
      errorResponseBuilder: (_request: FastifyRequest, context: errorResponseBuilderContext) =>
        peculiarity === "bare-body" && builds === "object" ? { context } : built(builds, context),
    }),
    ...{ onExceeding: tell("below"), onExceeded: tell("over"), onBanReach: tell("ban") },
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** The window of each of many clients. */
function widthOf(_request: FastifyRequest, key: string): number {
  return 5_000 + Number(key.replace("user-", ""));
}

function built(what: string, context: errorResponseBuilderContext): object | string {
  if (what === "text") return JSON.stringify(context);
  const { statusCode } = context;
  if (what === "object") return { statusCode, context };
  return Object.assign(new Error(JSON.stringify(context)), { statusCode });
}

async function ask(app: FastifyInstance, given: ScenarioRequest): Promise<Answered> {
  const { method, url, user, from, isPreflight } = given;
  const { statusCode, headers, body } = await app.inject({
    ...{ method: isPreflight ? "OPTIONS" : method, url },
    headers: {
      ...{ "x-user": user, "x-forwarded-for": from },
      ...(isPreflight && {
        origin: "https://shop.example",
        "access-control-request-method": "PUT",
      }),
    },
  });
  return { status: statusCode, headers, text: body };
}
