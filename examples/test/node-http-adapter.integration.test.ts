/**
 * The adapter for node:http, with a real server: what passes, what is refused, and what errors become.
 */

import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { concurrency, type Limiter } from "@tidegate/core";
import type { GateOptions } from "@tidegate/core/http";
import { manualClock } from "@tidegate/core/testing";
import { describe, expect, it, type TestContext } from "vitest";
import { RunningExample } from "./running-example.ts";

type Options = GateOptions<IncomingMessage, ServerResponse> & {
  readonly address?: (request: IncomingMessage) => string | undefined;
};
type Next = (error?: unknown) => void;
interface Middleware {
  (request: IncomingMessage, response: ServerResponse, next: Next): void;
  readonly limiter: Limiter | null;
  readonly close: () => void;
}
/** Its own types are checked with the examples. */
const { rateLimit }: { rateLimit: (options: Options) => Middleware } = await import(
  new URL("../node-http-adapter/rate-limit.mjs", import.meta.url).href
);

type OnTestFinished = TestContext["onTestFinished"];
type Handler = (request: IncomingMessage, response: ServerResponse) => void;
const HELLO: Handler = (_request, response) => response.end("hello");

/** A server with a limit on a free port, and a function that sends it requests. */
async function serve(onTestFinished: OnTestFinished, options: Options, handler = HELLO) {
  const limited = rateLimit({ clock: manualClock(), ...options });
  const server = createServer((incoming, response) => {
    limited(incoming, response, (error) => {
      if (error === undefined) handler(incoming, response);
      else response.writeHead(500).end(String(error));
    });
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
    limited.close();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const open = (headers: OutgoingHttpHeaders = {}, method = "GET") =>
    request({ host: "127.0.0.1", port, method, headers }).end();
  const send = async (headers?: OutgoingHttpHeaders, method?: string) => {
    const [response] = (await once(open(headers, method), "response")) as [IncomingMessage];
    let text = "";
    for await (const bytes of response) text += bytes;
    return { status: response.statusCode, headers: response.headers, text };
  };
  return { limited, open, send };
}

describe("the adapter for node:http", () => {
  it("lets requests pass with fields, and refuses the rest with a problem", async ({
    onTestFinished,
  }) => {
    const { send } = await serve(onTestFinished, { name: "api", limit: 2 });
    const first = await send();
    expect([first.status, first.text]).toEqual([200, "hello"]);
    expect(first.headers["ratelimit-policy"]).toBe('"api";q=2;w=60');
    expect(first.headers["ratelimit"]).toBe('"api";r=1;t=60');
    expect((await send()).status).toBe(200);
    const refused = await send();
    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "60"]);
    expect(refused.headers["content-type"]).toBe("application/problem+json");
    expect(JSON.parse(refused.text)).toMatchObject({ status: 429, title: "Quota Exceeded" });
    const head = await send({}, "HEAD");
    expect([head.status, head.headers["retry-after"], head.text]).toEqual([429, "60", ""]);
  });

  it("sends text where there are no problem details", async ({ onTestFinished }) => {
    const username = () => "ada";
    const { send } = await serve(onTestFinished, { preset: "login", username, limit: 1 });
    await send();
    const { status, headers, text } = await send();
    expect([status, headers["content-type"], text]).toEqual([
      ...[429, "text/plain"],
      "Too Many Requests",
    ]);
  });

  it("counts by the address that the application reads, with IPv6 by its network", async ({
    onTestFinished,
  }) => {
    const address = ({ headers }: IncomingMessage) => headers["x-real-ip"] as string;
    const { send } = await serve(onTestFinished, { limit: 1, ipv6Subnet: 56, address });
    expect((await send({ "x-real-ip": "2001:db8::1" })).status).toBe(200);
    expect((await send({ "x-real-ip": "2001:db8::2" })).status).toBe(429);
    expect((await send({ "x-real-ip": "192.0.2.1" })).status).toBe(200);
  });

  it("passes on what a function throws, at once or later", async ({ onTestFinished }) => {
    const fail = () => {
      throw new Error("no key");
    };
    for (const key of [fail, async () => fail()]) {
      const { send } = await serve(onTestFinished, { limit: 1, key });
      expect(await send()).toMatchObject({ status: 500, text: "Error: no key" });
    }
  });

  it("only ends a response that has begun while a function was waiting", async ({
    onTestFinished,
  }) => {
    const answers: ((key: string) => void)[] = [];
    const key = (_request: IncomingMessage, response: ServerResponse) => {
      response.write("too late");
      return new Promise<string>((resolve) => answers.push(resolve));
    };
    const { send, limited } = await serve(onTestFinished, { limit: 1, key });
    limited.limiter?.charge("ada");
    const sent = send();
    await expect.poll(() => answers.length).toBe(1);
    answers[0]?.("ada");
    expect(await sent).toMatchObject({ status: 200, text: "too late" });
  });

  it("holds a permit until the response ends, also after its client has hung up", async ({
    onTestFinished,
  }) => {
    const waiting: ServerResponse[] = [];
    const handler: Handler = (_request, response) => waiting.push(response);
    const policies = [concurrency({ limit: 1 })];
    const { open, send } = await serve(onTestFinished, { policies }, handler);
    const first = open().on("error", () => {});
    await expect.poll(() => waiting.length).toBe(1);
    expect((await send()).status).toBe(429);
    first.destroy();
    await once(waiting[0] as ServerResponse, "close");
    expect((await send()).status).toBe(429);
    waiting[0]?.end();
    const second = send();
    await expect.poll(() => waiting.length).toBe(2);
    waiting[1]?.end("done");
    expect(await second).toMatchObject({ status: 200, text: "done" });
  });

  it("refuses wrong options when it is made", () => {
    const make = (options: object) => () => rateLimit(options as Options);
    expect(make({})).toThrow("rateLimit needs 'limit'");
    expect(make({ limit: 1, limits: 2 })).toThrow("did you mean 'limit'?");
  });
});

it("node-http-adapter: five of six requests are allowed", async ({ onTestFinished }) => {
  const example = await RunningExample.start("node-http-adapter");
  onTestFinished(() => example.stop());
  expect(await example.statuses(6)).toEqual([200, 200, 200, 200, 200, 429]);
});
