/**
 * The transport of the guide: it keeps the contract, and two processes share a limit over it.
 */

import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type EventKind, TRANSPORT_CONTRACT, type Transport } from "@tidegate/core/transport";
import { describe, expect, it } from "vitest";
import { expectOneLimit, inTurn } from "./one-limit.ts";
import { RunningExample } from "./running-example.ts";

interface UdpOptions {
  readonly listen: string;
  readonly fleet: readonly string[];
}

/** Its own types are checked with the examples. */
const { udpTransport }: { udpTransport: (options: UdpOptions) => Transport } = await import(
  new URL("../udp-transport/udp-transport.mjs", import.meta.url).href
);

const REPOSITORY = new URL("../../", import.meta.url);
/** No case of the contract makes more transports. */
const PLACES = 12;

/** Addresses of this machine that no program listens at. */
async function freePlaces(count: number): Promise<string[]> {
  const sockets = Array.from({ length: count }, () => createSocket("udp4"));
  await Promise.all(
    sockets.map(async (socket) => {
      socket.bind(0, "127.0.0.1");
      await once(socket, "listening");
    }),
  );
  const places = sockets.map((socket) => `127.0.0.1:${socket.address().port}`);
  await Promise.all(sockets.map((socket) => once(socket.close(), "close")));
  return places;
}

interface Replica {
  readonly transport: Transport;
  readonly id: string;
  readonly received: string[];
  readonly reported: (EventKind | undefined)[];
}

function open(transport: Transport): Replica {
  const replica = { transport, id: randomBytes(6).toString("hex"), received: [], reported: [] };
  const { id, received, reported } = replica as Replica;
  transport.open((frame) => received.push(Buffer.from(frame).toString()), {
    ...{ namespace: "udp", replica: id },
    report: (_, kind) => reported.push(kind),
  });
  return replica;
}

/** Publishes until the receivers have the text. */
async function reaches(from: Replica, text: string, receivers: readonly Replica[], to?: string) {
  await expect
    .poll(() => {
      from.transport.publish(Buffer.from(text), to);
      return receivers.every(({ received }) => received.includes(text));
    })
    .toBe(true);
}

describe("the transport of the guide keeps the contract", () => {
  for (const { title, run } of TRANSPORT_CONTRACT) {
    it(title, async () => {
      const fleet = await freePlaces(PLACES);
      let next = 0;
      const transport = () => udpTransport({ listen: fleet[next++] ?? "", fleet });
      await run({ transport });
    });
  }
});

describe("the transport of the guide", () => {
  it("is the code on its page", () => {
    const file = new URL("examples/udp-transport/udp-transport.mjs", REPOSITORY);
    const own = readFileSync(file, "utf8");
    const page = readFileSync(new URL("docs/guides/writing-a-transport.md", REPOSITORY), "utf8");
    const [, block] = /^```ts ignore: .*\n([\s\S]*?)^```$/m.exec(page) ?? [];
    expect(block).toBe(own.slice(own.indexOf("import ")));
  });

  it("sends a frame to one replica alone, once that one was heard of", async ({
    onTestFinished,
  }) => {
    const fleet = await freePlaces(3);
    const replicas = fleet.map((listen) => open(udpTransport({ listen, fleet })));
    onTestFinished(async () => {
      await Promise.all(replicas.map(({ transport }) => transport.close()));
    });
    const [one, two, three] = replicas as [Replica, Replica, Replica];
    await reaches(one, "from one", [two, three]);
    await reaches(three, "from three", [one, two]);
    await reaches(one, "for three", [three], three.id);
    await reaches(one, "for all", [two, three]);
    expect(two.received).not.toContain("for three");
  });

  it("reports a port that is taken, and listens once it is free", async ({ onTestFinished }) => {
    const fleet = await freePlaces(2);
    const [first, later, other] = [fleet[0], fleet[0], fleet[1]].map((listen) =>
      open(udpTransport({ listen: listen ?? "", fleet })),
    ) as [Replica, Replica, Replica];
    onTestFinished(async () => {
      await Promise.all([later, other].map(({ transport }) => transport.close()));
    });
    await expect.poll(() => later.reported.length).toBeGreaterThan(0);
    expect(later.reported[0]).toEqual({ code: "EXAMPLE_UDP_FAILED", severity: "error" });
    expect(later.transport.connected).toBe(false);
    await first.transport.close();
    await expect.poll(() => later.transport.connected, { timeout: 5_000 }).toBe(true);
    await reaches(other, "hello", [later]);
  });

  it("is busy while too many datagrams wait, and says when it is not", async ({
    onTestFinished,
  }) => {
    const fleet = await freePlaces(2);
    let changes = 0;
    const transport = udpTransport({ listen: fleet[0] ?? "", fleet });
    onTestFinished(() => transport.close());
    const context = { namespace: "udp", replica: "01", changed: () => changes++ };
    transport.open(() => {}, context);
    await expect.poll(() => transport.connected).toBe(true);
    expect(changes).toBe(1);
    while (transport.publish(Buffer.from("more")));
    expect(transport.busy).toBe(true);
    await expect.poll(() => transport.busy).toBe(false);
    expect(changes).toBe(2);
  });

  it("ignores datagrams from addresses that are not of the fleet", async ({ onTestFinished }) => {
    const [listen = "", other = "", stranger = ""] = await freePlaces(3);
    const own = open(udpTransport({ listen, fleet: [listen, other] }));
    const member = open(udpTransport({ listen: other, fleet: [listen, other] }));
    const outside = open(udpTransport({ listen: stranger, fleet: [listen] }));
    onTestFinished(async () => {
      await Promise.all([own, member, outside].map(({ transport }) => transport.close()));
    });
    await expect.poll(() => outside.transport.connected).toBe(true);
    expect(outside.transport.publish(Buffer.from("from outside"))).toBe(true);
    await reaches(member, "from a member", [own]);
    expect(own.received).not.toContain("from outside");
  });

  it("refuses what is no address", () => {
    const make = (listen: string, fleet: string[]) => () => udpTransport({ listen, fleet });
    expect(make("here", [])).toThrow("'listen' must be an address and a port");
    expect(make("127.0.0.1:1", ["there"])).toThrow("'fleet' must be an address and a port");
  });
});

it("udp-transport: two processes share one limit", async ({ onTestFinished }) => {
  const FLEET = (await freePlaces(2)).join(",");
  const example = await RunningExample.start("udp-transport", { addresses: 2, env: { FLEET } });
  onTestFinished(() => example.stop("SIGTERM"));
  expect(example.addresses.length).toBe(2);
  expectOneLimit(await inTurn(example, 24), 10, 2);
});
