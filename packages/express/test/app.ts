/**
 * Small applications on a real server, for tests of one option each.
 */

import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type Express, type RequestHandler } from "express";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export class App {
  readonly url: string;
  readonly #close: () => Promise<void>;

  constructor(url: string, close: () => Promise<void>) {
    this.url = url;
    this.#close = close;
  }

  get(path = "/", headers: Record<string, string> = {}, method = "GET"): Promise<Answer> {
    return new Promise((resolve, reject) => {
      send(this.url + path, { method, headers, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
        response.on("error", reject);
      })
        .on("error", reject)
        .end();
    });
  }

  async statuses(count: number, path = "/"): Promise<number[]> {
    const statuses: number[] = [];
    for (let index = 0; index < count; index++) statuses.push((await this.get(path)).status);
    return statuses;
  }

  close(): Promise<void> {
    return this.#close();
  }
}

/** Serves middleware and whatever handles what it lets through, for as long as `visit` takes. */
export async function withApp(
  middlewares: readonly RequestHandler[] | ((app: Express) => void),
  visit: (app: App) => Promise<void>,
  handler: RequestHandler = (_request, response) => {
    response.send("admitted");
  },
): Promise<void> {
  const app = express();
  app.set("env", "test");
  if (typeof middlewares === "function") middlewares(app);
  else for (const middleware of middlewares) app.use(middleware);
  app.use(handler);
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  try {
    await visit(new App(`http://127.0.0.1:${port}`, close));
  } finally {
    await close();
  }
}
