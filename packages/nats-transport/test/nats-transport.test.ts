import {
  type NatsConnectionSource,
  type NatsTransport,
  natsTransport,
} from "@tidegate/nats-transport";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeConnection, turn } from "./fake-connection.ts";

const REPLICA = "0123456789abcdef";
const ALL = "tidegate.v1.shop.*";
const OTHER = "tidegate.v1.shop.fedcba9876543210";
const FINE = { maxReconnectAttempts: -1, ignoreAuthErrorAbort: true, pingInterval: 2_000 };

const troubles: string[] = [];
const changes: boolean[] = [];
const heard: Uint8Array[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  for (const list of [troubles, changes, heard]) list.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

function open(connection: NatsConnectionSource): NatsTransport {
  const transport = natsTransport({ connection });
  transport.open((frame) => heard.push(frame), {
    namespace: "shop",
    replica: REPLICA,
    report: (trouble) => troubles.push(trouble),
    changed: () => changes.push(transport.connected === true),
  });
  return transport;
}

/** Opened on a connection whose server has answered. */
async function connected(connection: FakeConnection): Promise<NatsTransport> {
  const transport = open(connection);
  await turn();
  expect(transport.connected).toBe(true);
  changes.length = 0;
  return transport;
}

function frame(bytes = 10): Uint8Array {
  return new Uint8Array(bytes);
}

describe("the options of natsTransport", () => {
  it.each([
    [undefined, /^natsTransport takes an options object, got undefined/],
    [{}, /^natsTransport needs 'connection': a connection of 'nats' or '@nats-io\/transport-node'/],
    [
      { connection: "nats://localhost" },
      /^'connection' must be a connection of 'nats' .+, got "nats:/,
    ],
    [{ connection: { publish() {} } }, /^'connection' must be a connection of .+, got an object/],
    [{ conection: 1 }, /^natsTransport has no option "conection": did you mean 'connection'\?/],
    [{ connection: () => {}, subject: "a b" }, /^'subject' must be/],
  ])("are refused where they are given: %j", (options, expected) => {
    expect(() => natsTransport(options as never)).toThrow(expected);
  });
});

describe("a transport over NATS", () => {
  it("is connected when the server has answered, and reports it", async () => {
    const connection = new FakeConnection(FINE);
    connection.answers = false;
    const transport = open(connection);
    await turn();
    expect([transport.connected, transport.status().state]).toEqual([false, "connecting"]);
    expect(transport.publish(frame())).toBe(false);
    connection.thaw();
    await turn();
    expect([transport.connected, changes, troubles]).toEqual([true, [true], []]);
    expect(transport.publish(frame())).toBe(true);
    expect(transport.publish(frame(), "fedcba9876543210")).toBe(true);
    expect(connection.published.map(({ subject }) => subject)).toEqual([
      `tidegate.v1.shop.${REPLICA}`,
      "tidegate.v1.shop.to.fedcba9876543210",
    ]);
  });

  it("hands nothing over between a disconnect and a reconnect, and reports both", async () => {
    const connection = new FakeConnection(FINE);
    const transport = await connected(connection);
    connection.tell({ type: "disconnect" });
    await turn();
    expect([transport.connected, changes]).toEqual([false, [false]]);
    expect(transport.publish(frame())).toBe(false);
    connection.tell({ type: "reconnecting" });
    connection.tell({ type: "reconnect" });
    await turn();
    expect([transport.publish(frame()), changes]).toEqual([true, [false, true]]);
    expect(connection.published).toHaveLength(1);
  });

  it("reports what the server complained about before it hung up", async () => {
    const connection = new FakeConnection(FINE);
    await connected(connection);
    connection.tell({ type: "error", error: new Error("Maximum Payload Violation") });
    connection.tell({ type: "disconnect" });
    await turn();
    expect(troubles).toEqual([
      "the connection to NATS is lost (Maximum Payload Violation): nothing is sent until it is back",
    ]);
  });

  it("finds out by itself whether a flush that failed was the last one", async () => {
    const connection = new FakeConnection(FINE);
    const transport = await connected(connection);
    connection.answers = false;
    transport.publish(frame());
    await turn();
    connection.flushes.shift()!.reject(new Error("disconnected"));
    await turn();
    expect([transport.connected, transport.status().state]).toEqual([false, "disconnected"]);
    connection.answers = true;
    vi.advanceTimersByTime(500);
    await turn();
    expect([transport.connected, changes]).toEqual([true, [false, true]]);
  });

  it("hands nothing over while the client is dialling, as its info shows", async () => {
    const connection = new FakeConnection(FINE);
    const transport = await connected(connection);
    connection.info = undefined;
    expect([transport.publish(frame()), transport.maxPayload]).toEqual([false, 65_535]);
  });

  it("reports when the server stops answering, and when it answers again", async () => {
    const connection = new FakeConnection(FINE);
    const transport = await connected(connection);
    connection.answers = false;
    transport.publish(frame());
    await turn();
    vi.advanceTimersByTime(5_000);
    expect([transport.status().state, changes]).toEqual(["late", [false]]);
    expect(troubles).toEqual([
      "the NATS server has stopped answering: nothing is sent until it answers again",
      expect.stringMatching(/^the NATS server has not answered for seconds, .*natsTransport/),
    ]);
    connection.thaw();
    await turn();
    expect([transport.status().state, changes]).toEqual(["connected", [false, true]]);
  });

  it("follows the longest payload of the server, up to the longest frame there is", async () => {
    const connection = new FakeConnection(FINE);
    const transport = await connected(connection);
    expect(transport.maxPayload).toBe(65_535);
    connection.info = { max_payload: Number.NaN };
    expect([transport.maxPayload, transport.publish(frame())]).toEqual([65_535, true]);
    connection.info = { max_payload: 1_000 };
    expect(transport.maxPayload).toBe(1_000);
    expect([transport.publish(frame(1_001)), transport.publish(frame(1_000))]).toEqual([
      false,
      true,
    ]);
  });

  it("is not connected while a subscription is refused, and tries again", async () => {
    const connection = new FakeConnection(FINE);
    const transport = await connected(connection);
    connection.refusesSubscriptions = true;
    connection.refuse(ALL);
    await turn();
    expect([transport.status().state, changes]).toEqual(["refused", [false]]);
    expect(transport.publish(frame())).toBe(true);
    vi.advanceTimersByTime(1_000);
    await turn();
    expect(transport.connected).toBe(false);
    connection.refusesSubscriptions = false;
    vi.advanceTimersByTime(2_000);
    await turn();
    expect([transport.connected, changes]).toEqual([true, [false, true]]);
    connection.deliver(ALL, OTHER, Buffer.from("hello"));
    expect(heard).toHaveLength(1);
  });

  it.each([
    ["nats 2", { permissionContext: { operation: "publish", subject: OTHER } }],
    ["nats 3", { error: { operation: "publish", subject: OTHER } }],
  ])("is not connected while publishing is refused, as %s reports it", async (_, detail) => {
    const connection = new FakeConnection(FINE);
    const transport = await connected(connection);
    connection.tell({ type: "error", ...detail });
    await turn();
    expect([transport.status().state, transport.publish(frame())]).toEqual(["refused", false]);
    vi.advanceTimersByTime(500);
    expect(transport.publish(frame())).toBe(true);
    await turn();
    vi.advanceTimersByTime(0);
    expect([transport.connected, changes]).toEqual([true, [false, true]]);
  });

  it("ignores refusals of other code on the connection", async () => {
    const connection = new FakeConnection(FINE);
    const transport = await connected(connection);
    connection.tell({ type: "error", error: { operation: "publish", subject: "else.where" } });
    connection.tell({ type: "error", error: { operation: "subscription", subject: "else.where" } });
    await turn();
    expect([transport.connected, troubles]).toEqual([true, []]);
  });

  it("warns once about settings of a given connection, and not of one that it created", async () => {
    await connected(new FakeConnection({ maxReconnectAttempts: 10 }));
    expect(troubles).toHaveLength(1);
    expect(troubles[0]).toMatch(
      /^the NATS connection can be lost for good: 'maxReconnectAttempts' is 10: set -1, .*; 'ignoreAuthErrorAbort'/,
    );
    troubles.length = 0;
    open(() => new FakeConnection({ maxReconnectAttempts: 10 }));
    await turn();
    expect(troubles).toEqual([]);
  });

  it("reports what goes on failing once, until it has worked", async () => {
    let tries = 0;
    const transport = open(() => {
      if (++tries < 5) throw new Error("refused");
      return new FakeConnection();
    });
    await vi.advanceTimersByTimeAsync(10_000);
    expect([tries, transport.connected]).toEqual([5, true]);
    expect(troubles).toEqual([
      "there is no NATS connection (refused): the transport calls the function 'connection' again",
    ]);
  });

  it("reports a connection that does not come, and a value that is not a connection", async () => {
    let resolve = (_made: never): void => {};
    const promise = new Promise<never>((resolved) => {
      resolve = resolved;
    });
    const transport = open(promise);
    await vi.advanceTimersByTimeAsync(60_000);
    const still = "there is still no NATS connection after";
    expect(troubles).toEqual([`${still} 10 s`, `${still} 30 s`]);
    expect(transport.status().state).toBe("connecting");
    resolve("a string" as never);
    await turn();
    expect(transport.status().state).toBe("ended");
    expect(troubles[2]).toMatch(/'connection' gave something that is no connection of 'nats'/);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(troubles).toHaveLength(3);
  });

  it("waits for its published frames when it closes, but not for ever", async () => {
    const connection = new FakeConnection(FINE);
    const transport = await connected(connection);
    connection.answers = false;
    transport.publish(frame());
    let isClosed = false;
    const closed = Promise.resolve(transport.close()).then(() => {
      isClosed = true;
    });
    await turn();
    expect([isClosed, transport.status().state, connection.subscribed.size]).toEqual([
      false,
      "closed",
      0,
    ]);
    await vi.advanceTimersByTimeAsync(1_000);
    await closed;
    expect([connection.isClosed(), vi.getTimerCount()]).toEqual([false, 0]);
  });

  it("can be closed before it was opened, and is not opened after that", async () => {
    const transport = natsTransport({ connection: () => expect.unreachable() });
    await transport.close();
    transport.open(() => {}, { namespace: "shop", replica: REPLICA });
    expect([transport.publish(frame()), transport.status().state]).toEqual([false, "closed"]);
  });

  it("catches what listeners throw", async () => {
    const connection = new FakeConnection(FINE);
    const transport = natsTransport({ connection });
    const fail = (): never => {
      throw new Error("a defect");
    };
    transport.open(fail, { namespace: "shop", replica: REPLICA, report: fail, changed: fail });
    await turn();
    connection.deliver(ALL, OTHER, Buffer.from("hello"));
    connection.tell({ type: "disconnect" });
    await turn();
    expect(transport.connected).toBe(false);
  });
});
