import { type NatsTransport, natsTransport } from "@tidegate/nats-transport";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeConnection, turn } from "./fake-connection.ts";

const REPLICA = "0123456789abcdef";
const ALL = "tidegate.v1.shop.*";
const OTHER = "tidegate.v1.shop.fedcba9876543210";
const FINE = { maxReconnectAttempts: -1, ignoreAuthErrorAbort: true, pingInterval: 2_000 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a transport over NATS", () => {
  it("gives each trouble a code and a severity", async () => {
    const kinds: unknown[] = [];
    const connection = new FakeConnection(FINE);
    const transport = natsTransport({ connection });
    transport.open(() => {}, {
      namespace: "shop",
      replica: REPLICA,
      report: (_, kind) => kinds.push(kind),
    });
    await turn();
    connection.refuse(ALL);
    connection.tell({ type: "disconnect" });
    await turn();
    await connection.close();
    await turn();
    expect(kinds).toEqual([
      { code: "TIDEGATE_NATS_REFUSED", severity: "error" },
      { code: "TIDEGATE_NATS_LOST", severity: "warning" },
      { code: "TIDEGATE_NATS_ENDED", severity: "error" },
    ]);
    await transport.close();
  });
});

describe("a process that receives no other one on its subject", () => {
  const troubles: string[] = [];

  /** Opened on a connection of which an early answer has been waited for. */
  async function opened(connection: FakeConnection): Promise<NatsTransport> {
    const transport = natsTransport({ connection });
    const report = (trouble: string): number => troubles.push(trouble);
    transport.open(() => {}, { namespace: "shop", replica: REPLICA, report });
    await turn();
    return transport;
  }

  const OWN = `tidegate.v1.shop.${REPLICA}`;
  const HINT =
    "for a minute, no frame of another process has arrived on 'tidegate.v1.shop.*': processes share limits if they have the same NATS servers, 'namespace' and 'subject'. Ignore this if the process is meant to be alone";

  it("reports it once, after a minute of a connection", async () => {
    const connection = new FakeConnection(FINE);
    const transport = await opened(connection);
    vi.advanceTimersByTime(40_000);
    connection.deliver(ALL, OWN, new Uint8Array(10));
    transport.publish(new Uint8Array(10));
    await turn();
    vi.advanceTimersByTime(19_000);
    expect(troubles).toEqual([]);
    vi.advanceTimersByTime(1_000);
    expect(troubles).toEqual([HINT]);
    connection.tell({ type: "disconnect" });
    connection.tell({ type: "reconnect" });
    await turn();
    vi.advanceTimersByTime(600_000);
    expect(troubles.filter((trouble) => trouble === HINT)).toEqual([HINT]);
    await transport.close();
  });

  it("does not report it while it is not connected, nor if a frame of another process has arrived", async () => {
    troubles.length = 0;
    const away = new FakeConnection(FINE);
    away.answers = false;
    const first = await opened(away);
    const connection = new FakeConnection(FINE);
    const second = await opened(connection);
    connection.deliver(ALL, OTHER, new Uint8Array(10));
    vi.advanceTimersByTime(120_000);
    expect(troubles).not.toContain(HINT);
    await Promise.all([first.close(), second.close(), vi.advanceTimersByTimeAsync(5_000)]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
