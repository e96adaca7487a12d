import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { joinCluster } from "../../src/index.ts";
import { memoryNetwork } from "../../src/transport/memory-network.ts";
import type { Transport } from "../../src/transport/transport.ts";
import { TRANSPORT_CONTRACT } from "../../src/transport/transport-contract.ts";

/** What the contract reports of a transport that breaks one promise: each title once. */
async function brokenBy(mistake: (transport: Transport) => Partial<Transport>): Promise<string> {
  const said: string[] = [];
  for (const { title, run } of TRANSPORT_CONTRACT) {
    const network = memoryNetwork();
    const transport = (): Transport => {
      const sound = network.transport();
      return { ...bound(sound), ...mistake(sound) };
    };
    await run({ transport }).catch((error: Error) => said.push(`${title}: ${error.message}`));
  }
  return said.join("\n");
}

function bound(transport: Transport): Transport {
  return {
    open: (receive, context) => transport.open(receive, context),
    publish: (frame, to) => transport.publish(frame, to),
    close: () => transport.close(),
  };
}

const PROMISE = "it answers at once, with values of the promised types";

it("finds nothing wrong with a transport that keeps it", async () => {
  expect(await brokenBy(() => ({}))).toBe("");
});

it.each([
  ["maxPayload", () => ({ maxPayload: Number.NaN }), "maxPayload is no whole number: NaN"],
  ["connected", () => ({ connected: 1 as never }), "connected is neither true nor false"],
  ["maxPayload", () => ({ maxPayload: 511 }), "maxPayload is below 512: 511"],
  ["busy", () => ({ busy: "no" as never }), "busy is neither true nor false"],
] as const)("names what is wrong with %s", async (_, mistake, wrong) => {
  expect(await brokenBy(mistake)).toContain(
    `${PROMISE}: the contract of transports is broken: ${wrong}`,
  );
});

it("names a publish that answers later", async () => {
  const said = await brokenBy((sound) => ({
    publish: (async (frame: Uint8Array, to?: string) => sound.publish(frame, to)) as never,
  }));
  expect(said).toContain(
    `${PROMISE}: the contract of transports is broken: publish returns neither`,
  );
});

it("names frames that are not a Uint8Array", async () => {
  const said = await brokenBy((sound) => ({
    open: (receive, context) => {
      const receiveBuffer = (frame: Uint8Array): void => {
        receive(Uint8Array.from(frame).buffer as never);
      };
      sound.open(receiveBuffer, context);
    },
  }));
  expect(said).toContain("something else than a Uint8Array was delivered");
});

it("takes frames that are Buffers, and frames that are short", async () => {
  const bytesMax = 1_000;
  const said = await brokenBy((sound) => ({
    maxPayload: bytesMax,
    open: (receive, context) => sound.open((frame) => receive(Buffer.from(frame)), context),
    publish: (frame, to) => frame.length <= bytesMax && sound.publish(frame, to),
  }));
  expect(said).toBe("");
});

it("names a transport that takes longer frames than it says", async () => {
  const said = await brokenBy((sound) => ({
    maxPayload: 1_000,
    publish: (frame, to) => sound.publish(frame, to),
  }));
  expect(said).toContain("a frame longer than maxPayload was taken");
});

it("names a transport that calls back while it is called", async () => {
  const early = await brokenBy((sound) => ({
    open: (receive, context) => {
      sound.open(receive, context);
      try {
        context.changed?.();
      } catch {}
    },
  }));
  expect(early).toContain("'changed' was called inside of a call of the transport");
  const echo = await brokenBy((sound) => {
    let deliver = (_frame: Uint8Array): void => {};
    return {
      open: (receive, context) => {
        deliver = receive;
        sound.open(receive, context);
      },
      publish: (frame, to) => {
        try {
          deliver(Uint8Array.from(frame));
        } catch {}
        return sound.publish(frame, to);
      },
    };
  });
  expect(echo).toContain("'receive' was called inside of a call of the transport");
});

it("passes the address of a replica as a cluster does", async () => {
  const addresses: string[] = [];
  await brokenBy((sound) => ({
    open: (receive, context) => {
      addresses.push(context.replica);
      sound.open(receive, context);
    },
  }));
  const network = memoryNetwork();
  const transport = network.transport();
  const open = vi.spyOn(transport, "open");
  await joinCluster({ transport, readyTimeoutMs: 0 }).leave();
  addresses.push(open.mock.calls[0]![1].replica);
  expect(addresses.filter((address) => !/^[0-9a-f]{12}$/.test(address))).toEqual([]);
});

describe("errors that a transport lets out of its events", () => {
  const EVENTS = ["uncaughtException", "unhandledRejection"] as const;
  const runner = EVENTS.map((event) => process.listeners(event as "uncaughtException"));

  // The test runner would take these errors for failures of this file.
  beforeEach(() => {
    for (const event of EVENTS) process.removeAllListeners(event);
  });
  afterEach(() => {
    EVENTS.forEach((event, index) => {
      for (const listener of runner[index]!) process.on(event, listener as () => void);
    });
  });

  it.each([
    ["by throwing", (call: () => void) => setImmediate(call)],
    ["by rejecting", async (call: () => void) => call()],
  ])("are named: %s", async (_, deliver) => {
    const said = await brokenBy((sound) => ({
      open: (receive, context) =>
        sound.open((frame) => {
          void deliver(() => receive(frame));
        }, context),
    }));
    expect(said).toContain(
      "a receiver that throws receives the next frame: the contract of transports is broken: an error was left uncaught: Error: a receiver of the contract throws on purpose",
    );
  });

  it.each(["changed", "report"] as const)("are named if '%s' throws", async (name) => {
    const said = await brokenBy((sound) => ({
      open: (receive, context) => {
        setImmediate(() => context[name]?.(""));
        sound.open(receive, context);
      },
    }));
    expect(said).toContain(`'${name}' of the contract throws on purpose`);
  });
});
