import { expect, it } from "vitest";
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
