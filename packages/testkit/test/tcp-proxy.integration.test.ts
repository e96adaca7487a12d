import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { ProxiedNatsCluster, TcpProxy } from "@tidegate/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let server: Server;
let proxy: TcpProxy;
let heard = "";
let accepted: Socket[] = [];

beforeEach(async () => {
  heard = "";
  accepted = [];
  server = createServer((socket) => {
    accepted.push(socket);
    socket.on("data", (bytes) => {
      heard += bytes;
    });
    socket.on("error", () => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  proxy = await TcpProxy.start((server.address() as AddressInfo).port);
});

afterEach(async () => {
  await proxy.stop();
  for (const socket of accepted) socket.destroy();
  server.close();
});

/** A client, and the data that it has received. */
async function client(): Promise<{ socket: Socket; heard: () => string }> {
  const socket = connect(proxy.port, "127.0.0.1");
  let said = "";
  socket.on("data", (bytes) => {
    said += bytes;
  });
  socket.on("error", () => {});
  await once(socket, "connect");
  await expect.poll(() => accepted.length).toBeGreaterThan(0);
  return { socket, heard: () => said };
}

describe("a line that a test can make bad", () => {
  it("carries what either side says, in order, and the end of it", async () => {
    const { socket, heard: said } = await client();
    for (let part = 0; part < 100; part++) socket.write(`${part},`);
    accepted[0]!.write("welcome");
    await expect.poll(() => heard.endsWith("99,")).toBe(true);
    expect(heard).toBe(Array.from({ length: 100 }, (_, part) => `${part},`).join(""));
    await expect.poll(said).toBe("welcome");
    socket.end("bye");
    await once(accepted[0]!, "close");
    expect(heard.endsWith("99,bye")).toBe(true);
  });

  it("delays data by the given time, in each direction", async () => {
    const { socket, heard: said } = await client();
    proxy.delay(200);
    const startedAtMs = performance.now();
    socket.write("hello");
    await expect.poll(() => heard, { interval: 5 }).toBe("hello");
    accepted[0]!.write("there");
    await expect.poll(said, { interval: 5 }).toBe("there");
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(390);
  });

  it("holds one direction and lets the other pass, and loses nothing", async () => {
    const { socket, heard: said } = await client();
    proxy.hold("toServer");
    socket.write("held");
    accepted[0]!.write("passes");
    await expect.poll(said).toBe("passes");
    await pause(100);
    expect([heard, socket.destroyed]).toEqual(["", false]);
    proxy.heal();
    await expect.poll(() => heard).toBe("held");
  });

  it("resets open connections when it is cut, and refuses new ones until it is healed", async () => {
    const { socket } = await client();
    proxy.cut();
    await expect.poll(() => [socket.destroyed, accepted[0]!.destroyed]).toEqual([true, true]);
    const refused = connect(proxy.port, "127.0.0.1");
    const [error] = (await once(refused, "error")) as [NodeJS.ErrnoException];
    expect(error.code).toMatch(/ECONNRESET|EPIPE/);
    proxy.heal();
    const { socket: next } = await client();
    next.write("again");
    await expect.poll(() => heard).toBe("again");
  });
});

describe("servers with lines between them", () => {
  it("lose the route whose line is cut, no other, and have it again when it is healed", async () => {
    const cluster = await ProxiedNatsCluster.start();
    try {
      cluster.between(0, 1).cut();
      await cluster.hasRoutes(0, 1);
      await cluster.hasRoutes(1, 1);
      // No frame finds a way around it.
      await pause(2_000);
      const routes = await Promise.all(cluster.servers.map((each) => each.routes()));
      expect(routes).toEqual([1, 1, 2]);
      cluster.between(1, 0).heal();
      await cluster.hasRoutes(0, 2);
      await cluster.hasRoutes(1, 2);
    } finally {
      await cluster.stop();
    }
  });
});
