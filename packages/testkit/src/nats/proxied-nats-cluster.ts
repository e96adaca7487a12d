/**
 * Three nats-servers whose routes go through lines that a test can cut.
 *
 * A server does not forward a frame from one route to another, only to its clients. So when the
 * line between two servers is cut, their clients do not receive each other, and the clients of the
 * third receive all. No server reports this to its clients.
 */

import { setTimeout as pause } from "node:timers/promises";
import { NatsServer } from "./nats-server.ts";
import { TcpProxy } from "./tcp-proxy.ts";

const SIZE = 3;
const POLL_MS = 5;
const POLLS_MAX = 2_000;

export class ProxiedNatsCluster {
  readonly servers: NatsServer[] = [];
  /** By the two servers, the one that started later first. */
  readonly #lines = new Map<string, TcpProxy>();

  private constructor() {}

  static async start(): Promise<ProxiedNatsCluster> {
    const cluster = new ProxiedNatsCluster();
    try {
      while (cluster.servers.length < SIZE) await cluster.#add();
      for (let server = 0; server < SIZE; server++) await cluster.hasRoutes(server, SIZE - 1);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** The line between two servers. */
  between(one: number, other: number): TcpProxy {
    const line = this.#lines.get(`${Math.max(one, other)}-${Math.min(one, other)}`);
    if (line === undefined) throw new RangeError(`no line between servers ${one} and ${other}`);
    return line;
  }

  /** Waits until a server has this many routes. */
  async hasRoutes(server: number, count: number): Promise<void> {
    const asked = this.servers[server];
    if (asked === undefined) throw new RangeError(`there is no server ${server}`);
    for (let polls = 0; (await asked.routes()) !== count; polls++) {
      if (polls === POLLS_MAX) throw new Error(`there never were ${count} routes:\n${asked.log}`);
      await pause(POLL_MS);
    }
  }

  async stop(): Promise<void> {
    for (const line of this.#lines.values()) await line.stop();
    for (const server of this.servers) await server.stop();
  }

  async #add(): Promise<void> {
    const number = this.servers.length;
    const routes: number[] = [];
    for (const [other, { routePort }] of this.servers.entries()) {
      const line = await TcpProxy.start(routePort);
      this.#lines.set(`${number}-${other}`, line);
      routes.push(line.port);
    }
    this.servers.push(await NatsServer.start({ routes, isHidden: true }));
  }
}
