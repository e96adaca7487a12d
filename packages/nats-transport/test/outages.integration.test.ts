import { setTimeout as pause } from "node:timers/promises";
import type { NatsConnectionLike } from "@tidegate/nats-transport";
import { NatsServer, startNatsCluster } from "@tidegate/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { CLIENTS } from "./clients.ts";
import { End, timeUntil, until } from "./end.ts";

const servers: NatsServer[] = [];
const connections: NatsConnectionLike[] = [];

async function server(): Promise<NatsServer> {
  const started = await NatsServer.start();
  servers.push(started);
  return started;
}

afterEach(async () => {
  await End.closeAll();
  await Promise.all(connections.splice(0).map((connection) => connection.close()));
  await Promise.all(servers.splice(0).map((started) => started.stop()));
});

describe.each(CLIENTS)("when servers come and go, with $name", ({ connect }) => {
  async function given(...urls: readonly string[]): Promise<NatsConnectionLike> {
    const connection = await connect(urls);
    connections.push(connection);
    return connection;
  }

  it("connects to a server that was not up at first", async () => {
    const late = await server();
    await late.kill();
    const [one, two] = [new End(() => connect(late.url)), new End(() => connect(late.url))];
    await until(() => one.troubles.length > 0, "a report");
    expect(one.troubles[0]).toMatch(
      /^there is no NATS connection \(.*\): the transport calls the function 'connection' again$/,
    );
    expect([one.state, one.transport.connected, one.say("hello")]).toEqual([
      "connecting",
      false,
      false,
    ]);
    await late.restart();
    await one.reaches(two);
    expect(one.changes[0]).toBe(true);
  });

  it("reports a lost server, keeps nothing, and goes on when it is back", async () => {
    const lost = await server();
    const [one, two] = [new End(await given(lost.url)), new End(() => connect(lost.url))];
    await one.reaches(two);
    await two.reaches(one);
    await lost.kill();
    for (const end of [one, two]) {
      const noticedMs = await timeUntil(() => !end.transport.connected, "the loss to be noticed");
      expect(noticedMs).toBeLessThan(1_000);
      expect(end.state).toBe("disconnected");
      expect(end.changes.at(-1)).toBe(false);
      expect(end.troubles.join()).toContain("the connection to NATS is lost");
      expect(end.say("into the void")).toBe(false);
      expect(end.transport.status().waitingBytes).toBe(0);
    }
    await pause(300);
    await lost.restart();
    await one.becomes("connected");
    await two.becomes("connected");
    expect(one.changes.at(-1)).toBe(true);
    await one.reaches(two);
    await two.reaches(one);
    expect(two.heard).not.toContain("into the void");
  });

  it("tolerates a frozen server, sends nothing meanwhile, and goes on when it thaws", async () => {
    const frozen = await server();
    const [one, two] = [new End(await given(frozen.url)), new End(() => connect(frozen.url))];
    await one.reaches(two);
    await two.reaches(one);
    const { framesSent } = one.transport.status();
    await frozen.freeze();
    const big = "x".repeat(60_000);
    const talk = setInterval(() => one.say(big), 20);
    const noticedMs = await timeUntil(() => one.state === "late", "it to be late");
    expect(noticedMs).toBeGreaterThan(700);
    expect(noticedMs).toBeLessThan(2_500);
    expect(one.changes.at(-1)).toBe(false);
    await pause(3_000 - noticedMs);
    clearInterval(talk);
    const status = one.transport.status();
    expect(status.framesSent - framesSent).toBeLessThanOrEqual(2);
    expect(status.waitingBytes).toBe(0);
    expect(status.framesDropped).toBeGreaterThan(20);
    expect(one.troubles.join()).toContain("the NATS server has stopped answering");
    frozen.thaw();
    const backMs = await timeUntil(() => one.state === "connected", "it to be back");
    expect(backMs).toBeLessThan(2_000);
    expect(one.changes.at(-1)).toBe(true);
    await one.reaches(two);
    await two.reaches(one);
  });

  it("never fills the socket, so the client finds another server when one freezes", async () => {
    const [frozen, other] = [await server(), await server()];
    const settings = { pingInterval: 400, noRandomize: true };
    const connection = await connect([frozen.url, other.url], settings);
    connections.push(connection);
    const [one, two] = [new End(connection), new End(() => connect(other.url))];
    await one.becomes("connected");
    await frozen.freeze();
    const big = "x".repeat(60_000);
    const talk = setInterval(() => {
      for (let frames = 0; frames < 20; frames++) one.say(big);
    }, 20);
    const movedMs = await timeUntil(
      () =>
        one.transport.connected && one.transport.status().server === two.transport.status().server,
      "the other server",
    );
    clearInterval(talk);
    expect(movedMs).toBeLessThan(5_000);
    await one.reaches(two);
    await two.reaches(one);
  });

  it("moves to another server of a NATS cluster, and all receive each other again", async () => {
    const three = await startNatsCluster();
    servers.push(...three);
    const urls = three.map(({ url }) => url);
    const ends = urls.map((url) => new End(() => connect([url, ...urls])));
    for (const end of ends) for (const other of ends) if (end !== other) await end.reaches(other);
    const used = ends[0]!.transport.status().server;
    const lost = three.find(({ url }) => url.endsWith(`:${used?.split(":")[1]}`))!;
    const rest = three.filter((other) => other !== lost);
    await lost.kill();
    await until(() => ends[0]!.transport.status().server !== used, "another server");
    for (const end of ends) for (const other of ends) if (end !== other) await end.reaches(other);
    await expect.poll(() => rest[0]!.routes(), { timeout: 10_000 }).toBe(1);
  });

  it("reports that a given connection that was closed is of no use any more", async () => {
    const there = await server();
    const connection = await given(there.url);
    const one = new End(connection);
    await one.becomes("connected");
    await connection.close();
    await one.becomes("ended");
    expect(one.troubles.at(-1)).toMatch(
      /^the NATS connection has been closed: no limits are shared/,
    );
    expect([one.say("hello"), one.changes.at(-1)]).toEqual([false, false]);
  });

  it("tolerates a connection that is drained while it sends", async () => {
    const there = await server();
    const connection = await given(there.url);
    const [one, two] = [new End(connection), new End(() => connect(there.url))];
    await one.reaches(two);
    const talk = setInterval(() => one.say("x".repeat(1_000)), 0);
    await (connection as NatsConnectionLike & { drain(): Promise<void> }).drain();
    await one.becomes("ended");
    clearInterval(talk);
    expect(one.say("hello")).toBe(false);
  });

  it("makes another connection when the one of its function was closed", async () => {
    const there = await server();
    const made: NatsConnectionLike[] = [];
    const one = new End(async () => {
      made.push(await connect(there.url));
      return made.at(-1)!;
    });
    const two = new End(() => connect(there.url));
    await one.reaches(two);
    await made[0]!.close();
    await until(() => one.troubles.length > 0, "a report");
    expect(one.troubles[0]).toBe(
      "the NATS connection has been closed: the transport makes another one",
    );
    await one.reaches(two);
    await two.reaches(one);
    expect(made).toHaveLength(2);
  });
});
