import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { FrameStream, framed } from "../../src/transport/ipc-link.ts";
import { ipcTransport } from "../../src/transport/ipc-transport.ts";
import { meetingPlace } from "../../src/transport/meeting-place.ts";
import type { Transport } from "../../src/transport/transport.ts";
import { TRANSPORT_CONTRACT } from "../../src/transport/transport-contract.ts";

describe("transports over a socket of this machine keep the contract", () => {
  for (const { title, run } of TRANSPORT_CONTRACT) {
    it(title, () => run({ transport: ipcTransport }));
  }
});

interface End {
  readonly transport: Transport;
  readonly heard: string[];
}

function open(namespace: string): End {
  const transport = ipcTransport();
  const heard: string[] = [];
  transport.open((frame) => heard.push(Buffer.from(frame).toString()), {
    namespace,
    replica: randomBytes(8).toString("hex"),
  });
  return { transport, heard };
}

/** Publishes until all have received it. */
async function reaches(from: End, text: string, to: readonly End[]): Promise<void> {
  for (let tries = 0; !to.every((end) => end.heard.includes(text)); tries++) {
    expect(tries).toBeLessThan(500);
    from.transport.publish(Buffer.from(text));
    await pause(10);
  }
}

describe("a transport over a socket of this machine", () => {
  it("refuses options, and says where they belong", () => {
    const make = ipcTransport as (...given: unknown[]) => Transport;
    for (const given of [{ namespace: "shop" }, "/run/shop.sock", {}, null]) {
      expect(() => make(given)).toThrow("'namespace' belongs to joinCluster");
    }
    expect(make(undefined).connected).toBe(false);
  });
});

describe("processes that meet at a socket", () => {
  it("elect another relay when theirs closes, one after the other", async () => {
    const namespace = randomBytes(8).toString("hex");
    const ends = Array.from({ length: 5 }, () => open(namespace));
    await reaches(ends[0]!, "all", ends.slice(1));
    while (ends.length > 1) {
      await ends.shift()!.transport.close();
      await reaches(ends[0]!, `${ends.length} left`, ends.slice(1));
    }
    await ends[0]!.transport.close();
  });

  it("agree on one relay when all start at the same moment", async () => {
    const namespace = randomBytes(8).toString("hex");
    const ends = Array.from({ length: 20 }, () => open(namespace));
    for (const [index, end] of ends.entries()) {
      await reaches(
        end,
        `from ${index}`,
        ends.filter((other) => other !== end),
      );
    }
    for (const end of ends) await end.transport.close();
  });

  it("take over the socket of a process that was killed", async () => {
    const namespace = randomBytes(8).toString("hex");
    writeFileSync(meetingPlace(namespace), "left by a process");
    const [one, two] = [open(namespace), open(namespace)];
    await reaches(one, "hello", [two]);
    await one.transport.close();
    await two.transport.close();
  });

  it("are not disturbed by a client that sends something else than frames", async () => {
    const namespace = randomBytes(8).toString("hex");
    const [one, two] = [open(namespace), open(namespace)];
    await reaches(one, "before", [two]);
    const stranger = connect(meetingPlace(namespace));
    stranger.on("error", () => {});
    stranger.write(Buffer.alloc(1_000, 0xff));
    await new Promise((resolve) => stranger.once("close", resolve));
    await reaches(two, "after", [one]);
    await one.transport.close();
    await two.transport.close();
  });
});

describe("frames over a stream", () => {
  it("come out as they went in, however the stream is cut", () => {
    const frames = [0, 1, 5, 65_535, 300].map((length) => Uint8Array.from(randomBytes(length)));
    const bytes = Buffer.concat(frames.map(framed));
    for (const step of [1, 3, 1_000, bytes.length]) {
      const heard: Uint8Array[] = [];
      const stream = new FrameStream((frame) => heard.push(frame));
      for (let at = 0; at < bytes.length; at += step) {
        expect(stream.push(bytes.subarray(at, at + step))).toBe(true);
      }
      expect(heard).toEqual(frames);
    }
  });
});
