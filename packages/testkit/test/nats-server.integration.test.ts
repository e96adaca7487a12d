import { spawn } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { NatsServer, type NatsServerOptions, startNatsCluster } from "@tidegate/testkit";
import { afterEach, describe, expect, it } from "vitest";

const GUARD = fileURLToPath(new URL("../src/nats/guard.sh", import.meta.url));

const started: NatsServer[] = [];

async function start(options?: NatsServerOptions): Promise<NatsServer> {
  const server = await NatsServer.start(options);
  started.push(server);
  return server;
}

afterEach(async () => {
  for (const server of started.splice(0)) await server.stop();
});

/** What a server sends first to a new client, or how that failed. */
function greeting(server: NatsServer): Promise<string> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.setTimeout(200, () => {
      resolve("silence");
      socket.destroy();
    });
    socket.once("error", (error: Error & { readonly code?: string }) => resolve(`${error.code}`));
    socket.once("data", (bytes) => {
      resolve(String(bytes));
      socket.destroy();
    });
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("a nats-server for tests", () => {
  it("answers as soon as it has started, each on a port of its own", async () => {
    const servers = [await start(), await start()];
    expect(new Set(servers.map(({ url }) => url)).size).toBe(2);
    for (const server of servers) expect(await greeting(server)).toMatch(/^INFO \{/);
  });

  it("is gone when it is killed, and answers at the same port when it is restarted", async () => {
    const server = await start();
    const { url } = server;
    await server.kill();
    expect(await greeting(server)).toBe("ECONNREFUSED");
    await server.restart();
    expect(server.url).toBe(url);
    expect(await greeting(server)).toMatch(/^INFO /);
  });

  it("says nothing while it is frozen, and goes on when it is thawed", async () => {
    const server = await start();
    await server.freeze();
    expect(await greeting(server)).toBe("silence");
    server.thaw();
    expect(await greeting(server)).toMatch(/^INFO /);
  });

  it("can be stopped while it is frozen", async () => {
    const server = await start();
    await server.freeze();
    await server.stop();
    expect(isAlive(server.pid)).toBe(false);
  });

  it("reads its configuration when it starts, and again on reload", async () => {
    const server = await start({ config: "max_payload: 2000\n" });
    expect(await greeting(server)).toContain('"max_payload":2000');
    await server.reload("max_payload: 3000\n");
    expect(await greeting(server)).toContain('"max_payload":3000');
    await expect(server.reload("max_payload: nonsense\n")).rejects.toThrow("refuses this");
  });

  it("stores streams only if configured", async () => {
    expect(await greeting(await start({ jetStream: true }))).toContain('"jetstream":true');
    expect(await greeting(await start())).not.toContain('"jetstream"');
  });

  it("says why it did not start", async () => {
    await expect(NatsServer.start({ config: "nonsense: {" })).rejects.toThrow("ended before");
  });
});

describe("three nats-servers", () => {
  it("have routes to each other, and find them again after one was lost", async () => {
    const servers = await startNatsCluster();
    started.push(...servers);
    await servers[1]!.kill();
    const others = () => Promise.all(servers.slice(1).map((server) => server.routes()));
    await expect.poll(() => servers[2]!.routes(), { timeout: 10_000 }).toBe(1);
    await servers[1]!.restart();
    await expect.poll(others, { timeout: 10_000 }).toEqual([2, 2]);
  });
});

describe("the guard of a program", () => {
  it("ends the program when the process that started it is killed", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tidegate-guard-"));
    const command = ["sh", "-c", "echo $$ >&2; exec sleep 1000"];
    const starter = `
      const { spawn } = require("node:child_process");
      const args = ${JSON.stringify([GUARD, folder, ...command])};
      spawn("sh", args, { stdio: ["pipe", "ignore", "inherit"] });
      setInterval(() => {}, 1000);
    `;
    const parent = spawn(process.execPath, ["-e", starter], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    const pid = await new Promise<number>((resolve) => {
      parent.stderr.once("data", (bytes) => resolve(Number(bytes)));
    });
    expect(isAlive(pid)).toBe(true);
    parent.kill("SIGKILL");
    for (let polls = 0; isAlive(pid) || existsSync(folder); polls++) {
      expect(polls).toBeLessThan(500);
      await pause(10);
    }
  });
});
