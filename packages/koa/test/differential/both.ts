/**
 * Sends a scenario's requests through an application with koa-ratelimit, and through the same
 * application with ours, at the same made-up times.
 */

import type { Answered, Pair } from "@tidegate/testkit/http";
import Koa, { type Context } from "koa";
import supertest from "supertest";
import { vi } from "vitest";
import { type Options, rateLimit } from "../../src/index.ts";
import { listen } from "../koa-site.ts";
import type { Scenario, ScenarioOptions, ScenarioRequest } from "./scenario.ts";

/** Headers that the application sets before it asks any limiter. */
export const BEFORE: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "cache-control": "public, max-age=60",
  "last-modified": new Date(0).toUTCString(),
};

export type Make = (options: Record<string, unknown>) => Koa.Middleware;

/** Every request with both of its answers. Needs fake timers. */
export async function sendThroughBoth(theirs: Make, scenario: Scenario): Promise<Pair<Scenario>[]> {
  const their = await listen(
    application(scenario, (options) => theirs({ ...options, db: new Map() })),
  );
  const our = await listen(application(scenario, ours));
  const pairs: Pair<Scenario>[] = [];
  for (const request of scenario.requests) {
    vi.advanceTimersByTime(request.afterMs);
    const [one, other] = [await ask(their.url, request), await ask(our.url, request)];
    pairs.push({ scenario, request, theirs: one, ours: other });
  }
  await Promise.all([their.close(), our.close()]);
  return pairs;
}

/** Ours; where it cannot be made, the error that says so is the answer to every request. */
const ours: Make = (options) => {
  try {
    return rateLimit({ ...(options as Options), validate: false });
  } catch (error) {
    return () => Promise.reject(error);
  }
};

function application({ options, peculiarity }: Scenario, make: Make): Koa {
  const app = new Koa({ proxy: true, maxIpsCount: 1 });
  app.silent = true;
  app.use(async (context, next) => {
    context.set(BEFORE);
    await next();
    // What later middleware sees of a refusal.
    const { message, id, after, headers } = context.state["rateLimit"] ?? {};
    if (id === undefined) return;
    context.set({
      "x-told": JSON.stringify([message, id]),
      "x-told-after": String(after),
      "x-told-headers": Object.keys(headers).join(),
    });
  });
  app.use(make(peculiarity === "numeric-text" ? withText(options) : optionsFor(options)));
  if (peculiarity === "stacked")
    app.use(make({ ...optionsFor(options), max: (options.max ?? 0) + 1 }));
  return app.use((context) => {
    context.body = "admitted";
  });
}

/** Options with text for numbers, as from a file of settings. */
function withText(given: ScenarioOptions): Record<string, unknown> {
  const { max, status, ...same } = optionsFor(given);
  return { ...same, max: String(max), ...(status !== undefined && { status: String(status) }) };
}

export function optionsFor(given: ScenarioOptions): Record<string, unknown> {
  const { max, duration, keyed, renames, throws, lists, answersItself, ...same } = given;
  const user = (context: Context): string => context.get("x-user");
  const named = { text: (name: string) => name, number: (name: string) => name.length };
  const headers = { remaining: "Left", reset: "Until", total: "All" };
  const all: Record<string, unknown> = {
    ...same,
    ...{ driver: "memory", max, duration },
    ...(throws && { throw: true }),
    ...(keyed !== null && {
      id: (context: Context) => user(context) !== "nobody" && named[keyed](user(context)),
    }),
    ...(renames !== null && { headers: renames === "all" ? headers : { remaining: "Left" } }),
    ...(lists && {
      whitelist: async (context: Context) => user(context) === "listed",
      blacklist: (context: Context) => user(context) === "bad",
    }),
    ...(!lists && { whitelist: false, blacklist: null }),
    onLimited: (context: Context) => {
      context.set("x-limited", String(context.status));
      if (answersItself) context.throw(418, "short and stout", { headers: { "x-thrown": "1" } });
    },
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

async function ask(
  url: string,
  { method, user, from, isPreflight }: ScenarioRequest,
): Promise<Answered> {
  const sent = isPreflight ? supertest(url).options("/") : supertest(url)[method]("/");
  const { status, headers, text } = await sent.set({
    ...{ "x-user": user, "x-forwarded-for": from },
    ...(isPreflight && {
      origin: "https://shop.example",
      "access-control-request-method": "PUT",
    }),
  });
  return { status, headers, text: text ?? "" };
}
