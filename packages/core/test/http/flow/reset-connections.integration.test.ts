/**
 * Clients that reset their connections at once, as Node reports them.
 */

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, request as send } from "node:http";
import { connect as connect2, createServer as createServer2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { concurrency, fixedWindow } from "../../../src/index.ts";
import {
  closeAll,
  closeLater,
  gateOf,
  portOf,
  type Request,
  type Response,
} from "./bare-server.ts";

type Handle = (request: Request, response: Response) => void;

afterEach(closeAll);

describe("a client that resets its connection before its request is read", () => {
  const protocols = [
    [
      "HTTP/1.1",
      createServer,
      (socket: Socket) => socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
    ],
    [
      "HTTP/2",
      (handle: Handle) => createServer2(handle),
      (socket: Socket) => {
        const session = connect2("http://a", { createConnection: () => socket });
        session
          .on("error", () => {})
          .request()
          .on("error", () => {});
      },
    ],
  ] as const;

  it.each(protocols)(
    "is counted over %s, and refused where a list blocks it",
    async (protocol, make, ask) => {
      for (const [options, most] of [
        [{}, 4],
        [{ block: ["127.0.0.1"] }, 0],
      ] as const) {
        const gate = gateOf(concurrency({ limit: 2 }), options);
        let [came, passed] = [0, 0];
        const server = make((request: Request, response: Response) => {
          came++;
          response.on("error", () => {});
          if (gate.enter(request, response) === null) passed++;
        });
        server.on("sessionError", () => {});
        const port = await portOf(server);
        for (let round = 0; round < 20 || came < 6; round++) {
          const socket = connect(port, "127.0.0.1");
          await once(
            socket.on("error", () => {}),
            "connect",
          );
          ask(socket);
          // A client of HTTP/2 writes a little later.
          if (protocol === "HTTP/2") await new Promise(setImmediate);
          socket.resetAndDestroy();
          await new Promise((resolve) => setTimeout(resolve, 2));
        }
        expect(passed).toBeLessThanOrEqual(most);
      }
    },
  );

  it("is distinguished from one on a Unix socket, which never has an address", async () => {
    const gate = gateOf(fixedWindow({ limit: 0, windowMs: 1_000 }), {});
    const server = createServer((request, response) => {
      response.end(String(gate.enter(request, response) === null));
    });
    const folder = mkdtempSync(join(tmpdir(), "tg-"));
    closeLater(server, { close: () => rmSync(folder, { recursive: true }) });
    const path = join(folder, "web.sock");
    await once(server.listen(path), "listening");
    const answered = await new Promise<IncomingMessage>((resolve) => {
      send({ socketPath: path, agent: false }, resolve).end();
    });
    expect(String(await answered.toArray())).toBe("true");
  });
});
