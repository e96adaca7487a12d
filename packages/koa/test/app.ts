/**
 * Small applications on a real server, for tests of one option each.
 */

import type Koa from "koa";
import supertest, { type Response } from "supertest";
import { listen } from "./koa-site.ts";

export class App {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  async get(headers: Record<string, string> = {}): Promise<Response> {
    return await supertest(this.url).get("/").set(headers);
  }

  async statuses(count: number, headers: Record<string, string> = {}): Promise<number[]> {
    const statuses: number[] = [];
    for (let index = 0; index < count; index++) statuses.push((await this.get(headers)).status);
    return statuses;
  }
}

/** Serves middleware and whatever handles what it lets through, for as long as `visit` takes. */
export async function withApp(
  app: Koa,
  middlewares: readonly Koa.Middleware[],
  visit: (app: App) => Promise<void>,
): Promise<void> {
  app.silent = true;
  for (const middleware of middlewares) app.use(middleware);
  app.use((context) => {
    context.body = "admitted";
  });
  const { url, close } = await listen(app);
  try {
    await visit(new App(url));
  } finally {
    await close();
  }
}
