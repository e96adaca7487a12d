/**
 * Sends a scenario's requests through an application with express-rate-limit, and through the same
 * application with ours, at the same made-up times.
 */

import { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import express, { type Express, type RequestHandler } from "express";
import { type Options as TheirOptions, rateLimit as theirs } from "express-rate-limit";
import { vi } from "vitest";
import {
  type Options,
  rateLimit as ours,
  type RateLimitOptions,
  type Store,
} from "../../src/index.ts";
import type { Answer } from "../app.ts";
import type { Scenario, ScenarioOptions, ScenarioRequest, StoreAnswer } from "./scenario.ts";

export interface Pair {
  readonly request: ScenarioRequest;
  readonly theirs: Answer;
  readonly ours: Answer;
}

const CACHED = {
  "Cache-Control": "public, max-age=60",
  "Last-Modified": new Date(0).toUTCString(),
};

type Make = (options: RateLimitOptions) => RequestHandler;

/** Every request with both of its answers. Needs fake timers. */
export async function sendThroughBoth(scenario: Scenario): Promise<Pair[]> {
  const script: StoreAnswer[] = [];
  const their = application(scenario, script, (options) =>
    theirs({ ...(options as unknown as Partial<TheirOptions>), validate: false }),
  );
  const our = application(scenario, script, made);
  const pairs: Pair[] = [];
  for (const request of scenario.requests) {
    vi.advanceTimersByTime(request.afterMs);
    script[0] = request.stored;
    pairs.push({ request, theirs: await ask(their, request), ours: await ask(our, request) });
  }
  return pairs;
}

/** Ours; where it cannot be made, the error that says so is the answer to every request. */
const made: Make = (options) => {
  try {
    return ours({ ...options, validate: false });
  } catch (error) {
    return (_request, _response, next) => next(error);
  }
};

function application(scenario: Scenario, script: StoreAnswer[], make: Make): Express {
  const { options, peculiarity, secondLimit, isCached } = scenario;
  const app = express();
  app.set("env", "test");
  app.set("trust proxy", "loopback");
  if (isCached) {
    app.use((_request, response, next) => {
      response.set(CACHED);
      next();
    });
  }
  const first = optionsFor(peculiarity === "numeric-text" ? withText(options) : options);
  if (peculiarity.startsWith("store")) Object.assign(first, { store: scripted(script) });
  app.use(make(first));
  if (peculiarity === "stacked") {
    const { limit: _limit, max: _max, ...same } = first;
    app.use(make({ ...same, limit: secondLimit, requestPropertyName: "second" }));
  }
  return app.use(answer);
}

/** Options with text for numbers, as from a file of settings. */
function withText({ limit, statusCode, ...same }: ScenarioOptions): ScenarioOptions {
  const text = { limit: String(limit), ...(statusCode && { statusCode: String(statusCode) }) };
  return { ...same, ...text } as unknown as ScenarioOptions;
}

/** The options as users write them: what is undefined is left out. */
function optionsFor(options: ScenarioOptions): RateLimitOptions {
  const { limit, limitAs, message, keyed, skips, handler, identifier, ...same } = options;
  const messages = {
    default: undefined,
    text: "No more.",
    object: { error: "no more" },
    function: () => "Made.",
    promise: async () => ["later"],
  };
  const limits = {
    number: { limit },
    max: { max: limit },
    function: { limit: () => limit },
    promise: { limit: async () => limit },
  };
  const all: Record<string, unknown> = {
    ...same,
    ...limits[limitAs],
    message: messages[message],
    identifier,
    ...(keyed && {
      keyGenerator: (request: { get(name: string): string }) => request.get("x-user"),
      ipv6Subnet: undefined,
    }),
    ...(skips && {
      skip: (request: { get(name: string): string }) => request.get("x-skip") === "yes",
    }),
    ...(handler && { handler: tellNumbers }),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

const tellNumbers: Options["handler"] = (request, response, _next, { statusCode }) => {
  response.status(statusCode).json(Reflect.get(request, "rateLimit"));
};

/** The application: answers with what it knows of the limit. */
const answer: RequestHandler = (request, response) => {
  response.status(Number(request.get("x-status")));
  response.json(Reflect.get(request, "rateLimit") ?? null);
};

function scripted(script: readonly StoreAnswer[]): Store {
  return {
    increment: async () => {
      const [totalHits, resetInMs] = script[0] ?? [1, null];
      return {
        totalHits: totalHits as number,
        resetTime: resetInMs === null ? undefined : new Date(Date.now() + resetInMs),
      };
    },
    decrement: async () => {},
    resetKey: async () => {},
  };
}

/** Lets an application answer a request that no network has carried. */
export async function ask(app: Express, given: ScenarioRequest): Promise<Answer> {
  const { method, status, user, from, isSkipped, isPreflight } = given;
  const socket = new Sink();
  const request = new IncomingMessage(socket as unknown as Socket);
  request.method = isPreflight ? "OPTIONS" : method;
  request.url = "/";
  Object.assign(request.headers, {
    "x-status": String(status),
    "x-user": user,
    "x-forwarded-for": from,
    "x-skip": isSkipped ? "yes" : "no",
    ...(isPreflight && {
      origin: "https://shop.example",
      "access-control-request-method": "PUT",
    }),
  });
  // Without this the request counts as aborted at its end, and takes the connection with it.
  request.complete = true;
  request.push(null);
  const response = new ServerResponse(request);
  response.assignSocket(socket as unknown as Socket);
  const ended = new Promise((resolve) => response.on("finish", resolve));
  app(request as never, response as never);
  await ended;
  response.emit("close");
  // What a limiter does once a response has ended is done a little later.
  await new Promise((resolve) => setImmediate(resolve));
  const [, text = ""] = socket.written.split("\r\n\r\n");
  const headers = response.getHeaders() as Answer["headers"];
  return { status: response.statusCode, headers, text };
}

/** The server's end of a connection: keeps what is written. */
class Sink extends Duplex {
  readonly remoteAddress = "127.0.0.1";
  written = "";

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.written += chunk.toString();
    done();
  }
}
