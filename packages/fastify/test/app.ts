/**
 * Applications on a real server, with a clock that stands still, for tests of one option each.
 */

import { manualClock } from "@tidegate/core/testing";
import fastify, { type FastifyInstance, type FastifyServerOptions } from "fastify";
import supertest, { type Response } from "supertest";
import { type RateLimitPluginOptions, rateLimit } from "../src/index.ts";

export class App {
  readonly server: FastifyInstance;
  readonly url: string;

  constructor(server: FastifyInstance, url: string) {
    this.server = server;
    this.url = url;
  }

  async get(path = "/", headers: Record<string, string> = {}): Promise<Response> {
    return await supertest(this.url).get(path).set(headers);
  }

  /** The statuses of one request to each path, one after the other. */
  async statuses(...paths: readonly string[]): Promise<number[]> {
    const statuses: number[] = [];
    for (const path of paths) statuses.push((await this.get(path)).status);
    return statuses;
  }
}

export interface Plan {
  readonly server?: FastifyServerOptions;
  /** Adds to an application in which the plugin is registered. */
  readonly build?: (server: FastifyInstance) => unknown;
  readonly visit: (app: App) => Promise<void>;
}

export const clock = manualClock(1_000_000);

/** Serves an application with the plugin, and by itself a route at `/`, while `visit` lasts. */
export async function withPlugin(
  options: RateLimitPluginOptions,
  { server: serverOptions = {}, build = addRoot, visit }: Plan,
): Promise<void> {
  const server = fastify(serverOptions);
  const time = options.cluster === undefined ? { clock } : {};
  await server.register(rateLimit, { ...time, ...options });
  await build(server);
  const url = await server.listen({ port: 0, host: "127.0.0.1" });
  try {
    await visit(new App(server, url));
  } finally {
    await server.close();
  }
}

export function addRoot(server: FastifyInstance): void {
  server.get("/", answer);
}

export async function answer(): Promise<string> {
  return "admitted";
}
