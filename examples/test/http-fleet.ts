/**
 * A fleet of HTTP servers that share limits over a nats-server: each a process of its own, of Express, Koa
 * and Fastify in turn.
 *
 * All clients have one address, and are counted by it: how many requests the fleet lets pass is what the
 * limit says, whichever server was asked.
 */

import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { ClusterStatus } from "@tidegate/core";
import { NatsServer } from "@tidegate/testkit";
import type { Answer } from "./asking.ts";
import { FRAMEWORKS, ServerProcess } from "./server-process.ts";

const PROGRAM = fileURLToPath(new URL("fleet-server.mjs", import.meta.url));

export interface FleetPlan {
  /** Those that are limited, each by a limiter of its own. */
  readonly paths: readonly string[];
  readonly limit: number;
  readonly windowMs: number;
  readonly onPartition?: "open" | "share" | "closed";
  readonly secret?: string;
  /** What a request for one of the paths counts beside itself: so many hits, of so many keys in turn. */
  readonly bulk?: { readonly path: string; readonly charges: number; readonly keys: number };
}

/** What one process of it is given. */
export interface ServerPlan extends FleetPlan {
  readonly url: string;
  readonly namespace: string;
  /** What becomes of its clocks at SIGUSR2. */
  readonly clocks?: object;
}

/** What the header `RateLimit` says. */
export interface Told {
  readonly remaining: number;
  readonly resetSeconds: number;
}

export class HttpFleet {
  /** All that were started, also those that have ended. */
  readonly servers: ServerProcess[] = [];
  readonly #nats: NatsServer;
  readonly #plan: ServerPlan;

  private constructor(nats: NatsServer, plan: FleetPlan) {
    this.#nats = nats;
    this.#plan = { ...plan, url: nats.url, namespace: `test-${randomBytes(6).toString("hex")}` };
  }

  /** Starts the nats-server of a fleet. */
  static async over(plan: FleetPlan): Promise<HttpFleet> {
    return new HttpFleet(await NatsServer.start(), plan);
  }

  /** Starts one more server, of the framework that the number says; resolves when it listens. */
  start(number: number, clocks: object = {}): Promise<ServerProcess> {
    const framework = FRAMEWORKS[number % FRAMEWORKS.length]!;
    const server = new ServerProcess(PROGRAM, framework, JSON.stringify({ ...this.#plan, clocks }));
    this.servers.push(server);
    return server.listens();
  }

  startAll(count: number, clocks?: (number: number) => object): Promise<ServerProcess[]> {
    const numbers = Array.from({ length: count }, (_, number) => number);
    return Promise.all(numbers.map((number) => this.start(number, clocks?.(number))));
  }

  async end(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.kill()));
    await this.#nats.stop();
  }
}

export async function statusOf(server: ServerProcess): Promise<ClusterStatus> {
  return JSON.parse((await server.ask({ path: "/status" })).text);
}

/** The codes of all that a process has said of the others. */
export async function saidBy(server: ServerProcess): Promise<string[]> {
  return JSON.parse((await server.ask({ path: "/said" })).text);
}

export async function degraded(servers: readonly ServerProcess[]): Promise<boolean[]> {
  return Promise.all(servers.map(async (server) => (await statusOf(server)).degraded));
}

export function told({ headers }: Answer): Told {
  const field = headers["ratelimit"] ?? "";
  const [, remaining, seconds] = /;r=(\d+);t=(\d+)/.exec(field) ?? [];
  if (seconds === undefined) throw new Error(`RateLimit says '${field}'`);
  return { remaining: Number(remaining), resetSeconds: Number(seconds) };
}
