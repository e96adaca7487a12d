/**
 * Hang-ups as Node reports them, without a framework: over HTTP/1.1, over HTTP/2, and where a connection is
 * handed over.
 */

import { once } from "node:events";
import { createServer, type Server, ServerResponse, request as send } from "node:http";
import {
  connect as connect2,
  createServer as createServer2,
  type Http2ServerResponse,
} from "node:http2";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { concurrency } from "../../../src/index.ts";
import {
  closeAll,
  closeLater,
  gateOf,
  portOf,
  type Request,
  type Response,
} from "./bare-server.ts";

/** What the tests of one server share: what is held, and how handlers go on. */
class Desk {
  readonly gate = gateOf(concurrency({ limit: 9 }), { key: () => "ada" });
  readonly responses: Response[] = [];

  readonly handle = (request: Request, response: Response): void => {
    void this.gate.enter(request, response);
    this.responses.push(response);
    response.on("error", () => {});
  };

  get held(): number {
    return this.gate.limiter?.inspect("ada").results[0]?.used ?? 0;
  }

  untilHeld(count: number): Promise<unknown> {
    return vi.waitFor(() => expect(this.held).toBe(count), { interval: 2 });
  }

  /** The first response, once its client has gone. */
  async gone(): Promise<Response> {
    const [response] = this.responses;
    if (response === undefined) throw new Error("no request has come");
    await once(response, "close");
    return response;
  }
}

afterEach(closeAll);

async function serve(): Promise<{ desk: Desk; server: Server; port: number; socket: Socket }> {
  const desk = new Desk();
  const server = createServer(desk.handle);
  const port = await portOf(server);
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {}).write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  await desk.untilHeld(1);
  return { desk, server, port, socket };
}

describe("over HTTP/1.1", () => {
  it.each<[string, (socket: Socket) => unknown]>([
    ["ends the connection", (socket) => socket.end()],
    ["destroys it", (socket) => socket.destroy()],
    ["resets it", (socket) => socket.resetAndDestroy()],
    ["sends what is no request", (socket) => socket.write("\0\r\n\r\n")],
  ])("a client that %s holds its permit until the handler ends the response", async (_, hangUp) => {
    const { desk, socket } = await serve();
    const going = desk.gone();
    hangUp(socket);
    const response = (await going) as ServerResponse;
    expect(desk.held).toBe(1);
    response.write("more");
    await new Promise(setImmediate);
    expect(desk.held).toBe(1);
    response.end("late");
    expect([desk.held, response.writableEnded]).toEqual([0, true]);
    socket.destroy();
  });

  it.each<[string, string, string]>([
    ["sends what is no request", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "\0\r\n\r\n"],
    ["sends half a request", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx", ""],
  ])(
    "a client that %s holds its permit where a listener closes connections",
    async (_, ...texts) => {
      const desk = new Desk();
      const times = { requestTimeout: 50, connectionsCheckingInterval: 10 };
      const server = createServer(times, desk.handle);
      server.on("clientError", (_error, socket) => socket.destroy());
      const socket = connect(await portOf(server), "127.0.0.1");
      socket.on("error", () => {}).write(texts[0]);
      await desk.untilHeld(1);
      const going = desk.gone();
      socket.write(texts[1]);
      const response = (await going) as ServerResponse;
      expect(desk.held).toBe(1);
      response.end();
      expect(desk.held).toBe(0);
    },
  );

  it("an application that destroys a response holds nothing where a listener closes connections", async () => {
    const { desk, server } = await serve();
    server.on("clientError", (_error, socket) => socket.destroy());
    (desk.responses[0] as ServerResponse).destroy();
    await desk.untilHeld(0);
  });

  it.each<[string, (response: ServerResponse) => unknown]>([
    ["the response", (response) => response.destroy()],
    ["the response with an error", (response) => response.destroy(new Error("upstream"))],
    ["the socket", (response) => response.socket?.destroy()],
  ])("an application that destroys %s holds nothing", async (_, destroy) => {
    const { desk } = await serve();
    const [response] = desk.responses as ServerResponse[];
    response?.write("begun");
    if (response !== undefined) destroy(response);
    await desk.untilHeld(0);
  });

  it("a connection that is kept alive holds nothing between its requests", async () => {
    const { desk, socket } = await serve();
    desk.responses[0]?.end();
    await desk.untilHeld(0);
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await desk.untilHeld(1);
    socket.destroy();
    await once(desk.responses[1] as Response, "close");
    expect(desk.held).toBe(1);
    desk.responses[1]?.end();
    expect(desk.held).toBe(0);
  });

  it("a connection that was handed over holds its permit until it closes", async () => {
    const desk = new Desk();
    const server = createServer();
    server.on("upgrade", (request, socket) => {
      desk.handle(request, new ServerResponse(request));
      socket
        .on("error", () => {})
        .on("end", () => socket.end())
        .resume();
    });
    const request = send({
      port: await portOf(server),
      headers: { connection: "upgrade", upgrade: "x" },
    });
    request.on("error", () => {}).end();
    await desk.untilHeld(1);
    request.destroy();
    await desk.untilHeld(0);
  });
});

describe("over HTTP/2", () => {
  it("a client that cancels its stream holds its permit until the handler ends it", async () => {
    const desk = new Desk();
    const port = await portOf(createServer2(desk.handle));
    const session = connect2(`http://127.0.0.1:${port}`);
    closeLater({ close: () => session.destroy() });
    const answered = session.request();
    await desk.untilHeld(1);
    (desk.responses.shift() as Http2ServerResponse).end("done");
    await desk.untilHeld(0);
    answered.close();
    const cancelled = session.request();
    cancelled.on("error", () => {});
    await desk.untilHeld(1);
    const going = desk.gone();
    cancelled.close(8);
    const response = (await going) as Http2ServerResponse;
    expect(desk.held).toBe(1);
    response.end("late");
    expect(desk.held).toBe(0);
  });
});
