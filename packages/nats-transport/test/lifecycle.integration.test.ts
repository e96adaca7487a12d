import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { NatsConnectionLike } from "@tidegate/nats-transport";
import { NatsServer } from "@tidegate/testkit";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { CLIENTS } from "./clients.ts";
import { End, until } from "./end.ts";

const EXITING = fileURLToPath(new URL("exiting-process.mjs", import.meta.url));

let server: NatsServer;

beforeAll(async () => {
  server = await NatsServer.start();
});
afterEach(() => End.closeAll());
afterAll(() => server.stop());

describe.each(CLIENTS)("a transport over NATS with $name", ({ connect, module }) => {
  it("takes a connection, a promise of one, or a function that creates one", async () => {
    const connection = await connect(server.url);
    const promise = connect(server.url);
    const ends = [connection, promise, () => connect(server.url), () => connection].map(
      (source) => new End(source),
    );
    for (const end of ends) for (const other of ends) if (end !== other) await end.reaches(other);
    await End.closeAll();
    await (await promise).close();
  });

  it("closes what its function created, and leaves a given connection open", async () => {
    const given = await connect(server.url);
    const made: NatsConnectionLike[] = [];
    const [one, two] = [
      new End(given),
      new End(async () => {
        made.push(await connect(server.url));
        return made.at(-1)!;
      }),
    ];
    await one.reaches(two);
    await End.closeAll();
    expect(made.map((connection) => connection.isClosed())).toEqual([true]);
    expect(given.isClosed()).toBe(false);
    let heard = 0;
    given.subscribe("something.else", { callback: () => heard++ });
    given.publish("something.else", Buffer.from("still there"));
    given.publish("tidegate.v1.shop.0000000000000000", Buffer.from("no listener"));
    await given.flush();
    expect([heard, one.heard.includes("no listener")]).toEqual([1, false]);
    await given.close();
  });

  it("closes what its function creates too late", async () => {
    let finish = (_connection: NatsConnectionLike): void => {};
    const one = new End(
      () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
    );
    await one.transport.close();
    const late = await connect(server.url);
    finish(late);
    await until(() => late.isClosed(), "it to be closed");
  });

  it("reports a promise that is rejected, and stays without a connection", async () => {
    const one = new End(Promise.reject(new Error("no such server")));
    await one.becomes("ended");
    expect(one.troubles).toEqual([
      "there is no NATS connection (no such server): the transport does not try again. Give natsTransport a function that connects, and it does",
    ]);
    expect(one.say("hello")).toBe(false);
  });

  it("keeps a receiver's errors from the client, which goes on for all its users", async () => {
    const connection = await connect(server.url);
    const [one, two] = [new End(connection), new End(() => connect(server.url))];
    let heard = 0;
    connection.subscribe("something.else", { callback: () => heard++ });
    const { hear } = one;
    one.hear = (text) => {
      hear.call(one, text);
      throw new Error("a defect");
    };
    await two.reaches(one, "first");
    await two.reaches(one, "second");
    connection.publish("something.else", Buffer.from("hello"));
    await connection.flush();
    expect(heard).toBe(1);
    expect(one.troubles).toEqual(["a receiver threw: Error: a defect"]);
    await End.closeAll();
    await connection.close();
  });

  it("sends a burst in rounds, and reports when it is busy and when it is not", async () => {
    const [one, two] = [new End(() => connect(server.url)), new End(() => connect(server.url))];
    await one.reaches(two);
    const { changes } = one;
    changes.length = 0;
    const frames = Array.from({ length: 40 }, (_, index) => `${index} `.padEnd(20_000, "x"));
    expect(frames.map((frame) => one.say(frame))).not.toContain(false);
    expect(one.transport.busy).toBe(true);
    expect(one.transport.status().waitingBytes).toBeGreaterThan(600_000);
    await until(() => changes.length > 0, "it to say so");
    expect([one.transport.busy, changes]).toEqual([false, [true]]);
    await until(() => frames.every((frame) => two.heard.includes(frame)), "all frames");
    const many = Array.from({ length: 100 }, () => one.say("y".repeat(20_000)));
    expect(many.filter((isTaken) => !isTaken).length).toBeGreaterThan(30);
  });

  it("does not take a server to be late because its own process was busy", async () => {
    const [one, two] = [new End(() => connect(server.url)), new End(() => connect(server.url))];
    await one.reaches(two);
    one.say("before");
    await Promise.resolve();
    const { changes } = one;
    changes.length = 0;
    const startedAtMs = performance.now();
    while (performance.now() - startedAtMs < 1_300);
    await pause(20);
    expect([one.state, changes, one.troubles]).toEqual(["connected", [], []]);
  });

  it("keeps namespaces apart, whatever characters they have", async () => {
    const names = ["a", "a b", "a.b", "a.*", ">", "Bücher", "a%20b", "", "to"];
    const ends = names.map((name) => [
      new End(() => connect(server.url), name),
      new End(() => connect(server.url), name),
    ]);
    for (const [index, [one, two]] of ends.entries()) await one!.reaches(two!, names[index]!);
    await pause(50);
    for (const [index, [, two]] of ends.entries()) {
      expect(new Set(two!.heard)).toEqual(new Set([names[index]]));
    }
  });

  it.each(["given", "promised", "made"])(
    "lets the process exit, with a connection %s",
    async (way) => {
      const namespace = randomBytes(8).toString("hex");
      const witness = new End(() => connect(server.url), namespace);
      await witness.becomes("connected");
      const child = spawn(process.execPath, [EXITING, module, way, server.url, namespace]);
      const output: unknown[] = [];
      child.stderr.on("data", (bytes) => output.push(String(bytes)));
      const code = await new Promise((resolve) => child.once("close", resolve));
      expect([code, output]).toEqual([0, []]);
      await until(() => witness.heard.includes(`last words, ${way}`), "the last words");
    },
  );
});

describe("a transport whose own connection hangs", () => {
  it("makes another one, to another server", async () => {
    await Promise.all(
      CLIENTS.map(async ({ connect }) => {
        const frozen = await NatsServer.start();
        const urls = [frozen.url, server.url];
        const [one, two] = [
          new End(() => connect(urls.shift() ?? server.url)),
          new End(() => connect(server.url)),
        ];
        await one.becomes("connected");
        await frozen.freeze();
        const talk = setInterval(() => one.say("x".repeat(60_000)), 50);
        await until(() => one.transport.status().server === two.transport.status().server, "it");
        clearInterval(talk);
        await one.reaches(two);
        await two.reaches(one);
        expect(one.troubles.at(1)).toMatch(
          /does not answer any more: the transport makes another connection$/,
        );
        await frozen.stop();
      }),
    );
  });
});
