/** What a transport reports, and how often it tries, while it cannot reach other processes. */

import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ipcTransport } from "../../src/transport/ipc-transport.ts";
import { meetingPlace } from "../../src/transport/meeting-place.ts";
import type { Transport } from "../../src/transport/transport.ts";

const namespace = "trouble";
const POLL_MS = 20;

describe("a transport over a socket that cannot reach others", () => {
  let folder: string;
  let transport: Transport;
  let troubles: string[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "tg-"));
    vi.stubEnv("XDG_RUNTIME_DIR", folder);
    transport = ipcTransport();
    troubles = [];
  });

  afterEach(async () => {
    await transport.close();
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });

  function open(): void {
    const report = (trouble: string) => troubles.push(trouble);
    transport.open(() => {}, { namespace, replica: "0123456789ab", report });
  }

  async function untilConnected(): Promise<void> {
    for (let waitedMs = 0; transport.connected !== true; waitedMs += POLL_MS) {
      expect(waitedMs).toBeLessThan(5_000);
      await pause(POLL_MS);
    }
  }

  it("reports why once, and once more when it can again", async () => {
    const own = join(folder, `tidegate-${process.getuid!()}`);
    mkdirSync(own);
    chmodSync(own, 0o755);
    open();
    await pause(3_000);
    expect(troubles).toEqual([expect.stringContaining("that no other user can enter")]);
    chmodSync(own, 0o700);
    await untilConnected();
    expect(troubles.slice(1)).toEqual([
      "this process reaches other processes of this machine again",
    ]);
  });

  it("tries less and less often while a relay accepts it and drops it", async () => {
    let connections = 0;
    const server: Server = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(meetingPlace(namespace), resolve));
    open();
    await pause(3_000);
    // The first six take at most 1.2 seconds; each later one half a second on average.
    expect(connections).toBeGreaterThan(3);
    expect(connections).toBeLessThan(30);
    expect(transport.connected).toBe(false);
    expect(troubles).toEqual([expect.stringContaining("may have no free descriptors")]);
    server.close();
    await untilConnected();
  });

  it("is not connected, and publishes nothing, before a relay has sent something", async () => {
    const server: Server = createServer();
    await new Promise<void>((resolve) => server.listen(meetingPlace(namespace), resolve));
    open();
    await pause(500);
    expect(transport.connected).toBe(false);
    expect(transport.publish(new Uint8Array(3))).toBe(false);
    await untilConnected();
    server.close();
  });
});
